// A picture that stands for a film plays it in its place. Without scripts it is a link to the film.
document.addEventListener("click", (event) => {
  const link = event.target.closest("a.film");
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  const frame = document.createElement("iframe");
  frame.className = "live";
  frame.title = link.querySelector("img").alt;
  frame.src = link.href;
  link.replaceWith(frame);
  frame.focus();
});
