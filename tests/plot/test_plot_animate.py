"""Films: which frame shows which poses, and the files they are written to."""

import gc
import itertools
import re
import warnings

import numpy as np
import pytest
from matplotlib.animation import FFMpegWriter, FuncAnimation
from PIL import Image
from scenes_to_draw import axes, landing, poses, run

import pyphys2d as p2
from pyphys2d import plot
from pyphys2d.plot import _animate

SHAPES = [p2.Box(1, 1), p2.Circle(0.6), p2.RegularPolygon(3, 0.7)]


def small(frames=5, **options):
    return plot.animate(poses(frames), SHAPES, axes(2, 1.5), **options)


def box_of(film):
    """Middle of the one box that is drawn."""
    return film.bodies.artists[0].get_paths()[0].vertices[:4].mean(axis=0)


def boxes_alone(frames):
    """Poses of one box that goes to the right, a metre a frame."""
    return np.column_stack([np.arange(frames), np.zeros(frames), np.zeros(frames)])[:, None]


def test_each_frame_shows_its_poses():
    film = plot.animate(boxes_alone(7), p2.Box(1, 1), axes(), fps=60)
    np.testing.assert_allclose(film.times, np.arange(7) / 60)
    for k in (0, 3, 6, 2):
        film._func(k)
        np.testing.assert_allclose(box_of(film), (k, 0), atol=1e-12)
        assert film.ax.texts[0].get_text() == f"t = {k / 60:.2f} s"
    (x0, x1) = film.ax.get_xlim()
    assert x0 < -0.5
    assert x1 > 6.5


def test_frames_are_chosen_and_not_made_up():
    """Half the speed shows every pose twice, twice the speed every other one."""
    for speed, expected in [
        (1, [0, 1, 2, 3, 4, 5, 6]),
        (0.5, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6]),
        (2, [0, 2, 4, 6]),
        (4, [0, 4, 6]),
    ]:
        film = plot.animate(boxes_alone(7), p2.Box(1, 1), axes(), fps=60, speed=speed)
        np.testing.assert_allclose(film.times, np.array(expected) / 60)
    late = plot.animate(boxes_alone(3), p2.Box(1, 1), axes(), times=[1, 1.5, 4], fps=1)
    np.testing.assert_allclose(late.times, [1, 1.5, 1.5, 4])
    assert len(plot.animate(boxes_alone(1), p2.Box(1, 1), axes()).times) == 1


def test_a_trajectory_brings_its_shapes_and_colours():
    trajectory = run()
    film = plot.animate(trajectory, ax=axes(), fps=30)
    assert film.times[0] == trajectory.times[0]
    assert film.times[-1] == trajectory.times[-1]
    assert sum(len(getattr(artist, "get_paths", list)()) for artist in film.bodies.artists) >= 6
    asleep = ~trajectory.awake[-1] & (trajectory.kinds == 2)
    film._func(len(film.times) - 1)
    np.testing.assert_array_equal(film.bodies.states == 3, asleep)


def test_shapes_of_a_world():
    world = landing()
    still = np.column_stack([world.positions, world.angles])
    film = plot.animate(np.stack([still, still + 1]), world, axes())
    assert film.bodies.kinds.tolist() == world.kinds.tolist()
    with pytest.raises(ValueError, match=r"poses: must have 7 bodies, one for each slot"):
        plot.animate(np.zeros((2, 3, 3)), world, axes())


def test_the_players():
    film = small()
    page = film._repr_html_()
    # Each frame is a picture of its own within the page, and no other file is needed.
    assert len(re.findall(r'frames\[\d+\] = "data:image/png;base64,', page)) == len(film.times)
    assert "<script" in page
    assert "http" not in page
    buttons = re.findall(r"<button[^>]*>\s*(.*?)\s*</button>", page, re.DOTALL)
    assert buttons == [*_animate.BUTTONS.values()]


def test_gif(tmp_path):
    film = small(12, fps=20)
    film.save(tmp_path / "run.gif", dpi=40)
    with Image.open(tmp_path / "run.gif") as picture:
        assert picture.format == "GIF"
        assert picture.size == (80, 60)
        assert picture.n_frames == len(film.times) == 5
        assert picture.info["duration"] == 50  # milliseconds


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fps", "writer", "shown"),
    [
        (24, None, 24),  # 41.7 ms
        (30, None, 24),  # 33.3 ms
        (30, "pillow", 24),
        (60, None, 20),  # 24 / 60 s are 20 times the shortest duration
        (250, None, 5),
    ],
)
def test_a_gif_lasts_as_long_as_its_film(fps, writer, shown, tmp_path):
    """Frames / fps, though durations are whole hundredths of a second, and at least two."""
    film = plot.animate(
        boxes_alone(24), p2.Box(1, 1), axes(1, 1), times=np.arange(24) / fps, fps=fps
    )
    assert len(film.times) == 24
    film.save(tmp_path / "run.gif", writer, dpi=40)
    with Image.open(tmp_path / "run.gif") as picture:
        assert picture.n_frames == shown
        durations = []
        for k in range(shown):
            picture.seek(k)
            durations.append(picture.info["duration"])
    assert sum(durations) == pytest.approx(1000 * 24 / fps, abs=5)
    assert min(durations) >= 20
    assert max(durations) - min(durations) <= 10


@pytest.mark.parametrize("fps", [0.7, 12, 29.97, 30, 50, 51, 60, 99, 144, 1000])
@pytest.mark.parametrize("count", [1, 2, 61, 1000])
def test_frames_of_a_gif_are_shown_at_their_instants(count, fps):
    numbers, lengths = _animate.gif_frames(count, fps)
    assert numbers[0] == 0
    assert numbers[-1] == count - 1 or len(numbers) == 1
    assert (lengths >= 2).all()
    if fps <= 50:
        assert numbers.tolist() == list(range(count))
    if count / fps >= 0.02:
        assert lengths.sum() == pytest.approx(100 * count / fps, abs=0.5)
    # A frame begins at most a hundredth before its instant or after it, and what rounding to a
    # frame adds where some are left out.
    begins = np.concatenate([[0], np.cumsum(lengths)[:-1]])
    late = abs(begins - 100 * numbers / fps)
    assert late.max() <= (1.5 if fps <= 50 else 2.5 + 50 / fps)


def test_a_film_that_is_not_shown_or_refused_says_no_more(tmp_path):
    """Matplotlib warns of animations that were never drawn: of others than ours it still does."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        small()
        with pytest.raises(ValueError, match="filename: must end in one of"):
            small().save(tmp_path / "run.avi")
        gc.collect()
    assert [str(each.message) for each in caught] == []
    other = FuncAnimation(axes().figure, lambda k: [], frames=3)
    with pytest.warns(UserWarning, match="deleted without rendering"):
        other.__del__()
    other._draw_was_started = True


def test_html(tmp_path):
    film = small()
    film.save(str(tmp_path / "run.HTML"))
    text = (tmp_path / "run.HTML").read_text()
    assert text.startswith("<!DOCTYPE html>")
    assert text.rstrip().endswith("</html>")
    assert text.count("data:image/png;base64,") >= len(film.times)


def test_films_find_the_places_of_axes_once(tmp_path):
    """And the next film of the same figure anew: a title in between moves its axes down."""
    film = plot.animate(poses(5), SHAPES)  # in a figure with a layout engine
    figure, path = film.ax.figure, tmp_path / "run.gif"
    engine = figure.get_layout_engine()
    places, draw = [], figure.draw

    def count(renderer):
        places.append(film.ax.get_position().bounds)
        draw(renderer)

    figure.draw = count
    film.save(path)
    pictures = len(film.times)
    assert len(places) < 2 * pictures
    assert len(set(places[-pictures:])) == 1
    top = places[-1][1] + places[-1][3]
    film.ax.set_title("a\nb\nc", fontsize=20)
    film.save(path)
    tops = [y + height for _, y, _, height in places[-pictures:]]
    assert max(tops) < top - 0.05
    assert figure.get_layout_engine() is engine


def test_mp4(tmp_path):
    film = small()
    if not FFMpegWriter.isAvailable():
        with pytest.raises(RuntimeError, match=r"run\.mp4: MP4 needs the program ffmpeg"):
            film.save(tmp_path / "run.mp4")
        assert not (tmp_path / "run.mp4").exists()
        return
    film.save(tmp_path / "run.mp4", dpi=40)
    assert (tmp_path / "run.mp4").read_bytes()[4:8] == b"ftyp"


def test_mp4_without_ffmpeg(tmp_path, monkeypatch):
    monkeypatch.setattr(FFMpegWriter, "isAvailable", classmethod(lambda cls: False))
    with pytest.raises(RuntimeError, match=r"install it, or write \.gif or \.html"):
        small().save(tmp_path / "run.mp4")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["run", "run.avi"])
def test_other_suffixes(name, tmp_path):
    with pytest.raises(ValueError, match=r"filename: must end in one of \.gif, \.html, \.mp4"):
        small().save(tmp_path / name)


def test_a_writer_of_ones_own(tmp_path):
    small().save(tmp_path / "run.webp", writer="pillow", dpi=40)
    with Image.open(tmp_path / "run.webp") as picture:
        assert picture.format == "WEBP"


@pytest.mark.parametrize(
    ("arguments", "options", "error", "message"),
    [
        ((np.zeros((2, 3)), SHAPES), {}, ValueError, r"poses: must be of shape \(f, n, 3\)"),
        ((np.zeros((0, 3, 3)), SHAPES), {}, ValueError, "poses: must have at least one frame"),
        ((poses(),), {}, TypeError, "shapes: must be given beside poses"),
        ((poses(), SHAPES[:2]), {}, ValueError, "shapes: must be one, or one for each of 3 bodies"),
        ((poses(), [1, 2, 3]), {}, TypeError, "shapes: must be shapes, got int"),
        ((poses(), SHAPES), {"fps": 0}, ValueError, "fps: must be a number > 0, got 0"),
        ((poses(), SHAPES), {"speed": np.nan}, ValueError, "speed: must be a number > 0"),
        ((poses(), SHAPES), {"times": [0, 1]}, ValueError, "times: must be 5 rising numbers"),
        ((poses(), SHAPES), {"times": [0, 1, 2, 1, 3]}, ValueError, "times: must be 5 rising"),
    ],
)
def test_what_does_not_fit(arguments, options, error, message):
    with pytest.raises(error, match=message):
        plot.animate(*arguments, ax=axes(), **options)


def test_pyplot_does_not_know_the_figure():
    from matplotlib import pyplot as plt

    before = plt.get_fignums()
    film = plot.animate(poses(), SHAPES)
    film.to_jshtml()
    assert plt.get_fignums() == before


def test_contacts_of_a_trajectory_are_drawn_with_their_push():
    """Points are those of the frame; lines start there and go as far as the impulse says."""
    world = p2.World()
    world.add_body(p2.Box(9, 1), (0, -0.5), kind="static")
    world.add_bodies(p2.Box(1, 1), [(0, 0.5), (2, 0.5), (2, 1.5)])
    run = p2.simulate(world, 0.5, contacts=True)
    film = plot.animate(run, fps=60, normals=0.1)
    artists = {artist.get_gid(): artist for artist in film._show(20)}
    a, b = run.contact_offsets[20:22]
    rows = run.contacts[a:b]
    rows = rows[(rows["normal_impulse"] > 0) | (rows["separation"] <= 0)]
    assert len(rows) == 6
    points = artists["contact points"].get_xydata()
    np.testing.assert_array_equal(points, rows["point"])
    segments = np.array(artists["contact normals"].get_segments())
    pushes = rows["normal_impulse"] > 0
    np.testing.assert_allclose(segments[:, 0], points[pushes])
    lengths = np.hypot(*(segments[:, 1] - segments[:, 0]).T)
    np.testing.assert_allclose(lengths, 0.1 * rows["normal_impulse"][pushes])
    assert "contact points" not in {a.get_gid() for a in plot.animate(run, contacts=False)._show(3)}
    tables = [run.contacts[i:j] for i, j in itertools.pairwise(run.contact_offsets)]
    poses = np.dstack([run.positions, run.angles])
    again = plot.animate(poses, world, fps=60, contacts=tables, normals=0.1)
    same = {artist.get_gid(): artist for artist in again._show(20)}
    np.testing.assert_array_equal(same["contact points"].get_xydata(), points)
    with pytest.raises(ValueError, match=r"world\.record\(contacts=True\)"):
        plot.animate(p2.simulate(world, 0.1), contacts=True)
    with pytest.raises(ValueError, match="contacts: must be 31 tables, got 3"):
        plot.animate(run, contacts=tables[:3])
    with pytest.raises(TypeError, match=r"contacts\[0\]"):
        plot.animate(run, contacts=[1] * 31)


def shown(film, k):
    film._func(k)
    (x0, x1), (y0, y1) = film.ax.get_xlim(), film.ax.get_ylim()
    return np.array([x0, y0, x1, y1])


def test_the_camera_goes_along():
    """What it shows keeps its size and moves as the body has moved since the first frame."""
    moves = poses(9)
    film = plot.animate(moves, SHAPES, axes(2, 1.5), fps=60, follow=1, view=(-4, -3, 4, 3))
    for k in (0, 5, 8, 2):
        x, y = moves[k, 1, :2] - moves[0, 1, :2]
        np.testing.assert_allclose(shown(film, k), (x - 4, y - 3, x + 4, y + 3), atol=1e-12)


def test_the_camera_has_its_body_in_the_middle():
    turned = np.array([[[3.0, 4.0, 0.0]], [[5.0, 4.5, 1.0]]])
    film = plot.animate(turned, p2.Box(0.6, 0.8), fps=60, follow=0)
    # The diagonal of the box, 1 m, is a sixth of the height.
    np.testing.assert_allclose(shown(film, 0), (3 - 16 / 3, 1, 3 + 16 / 3, 7))
    np.testing.assert_allclose(shown(film, 1), (5 - 16 / 3, 1.5, 5 + 16 / 3, 7.5))
    own = axes(2, 1.5)
    own.set(xlim=(0, 8), ylim=(2, 8))
    np.testing.assert_allclose(
        shown(plot.animate(turned, p2.Box(1, 1), own, fps=60, follow=0), 1), (2, 2.5, 10, 8.5)
    )


def test_the_camera_waits_for_what_does_not_live():
    moves = boxes_alone(6)
    moves[[0, 3]] = np.nan
    film = plot.animate(moves, p2.Box(1, 1), axes(), fps=60, follow=0, view=(0, 0, 4, 4))
    assert [shown(film, k)[0] for k in range(6)] == [0, 0, 1, 1, 3, 4]


def test_the_camera_follows_by_name():
    world = p2.World()
    world.add_body(p2.Circle(1), (9, 9))
    world.add_body(p2.Circle(1), (0, 1), velocity=(3, 4), name="ball")
    trajectory = p2.simulate(world, 0.2)
    film = plot.animate(trajectory, ax=axes(), fps=60, follow="ball", view=(-5, -2, 5, 5))
    places = trajectory.positions[:, 1]
    moved = shown(film, len(film.times) - 1) - (-5, -2, 5, 5)
    np.testing.assert_allclose(moved.reshape(2, 2), [places[-1] - places[0]] * 2)


def test_the_picture_of_a_camera_keeps_its_place():
    """Numbers on the axes become longer as it goes: the axes must not jump."""
    far = boxes_alone(3)
    far[:, 0, 0] = 0, 5, 123456
    film = plot.animate(far, p2.Box(1, 1), fps=60, follow=0)
    places = []
    for k in range(3):
        film._func(k)
        film.ax.figure.draw_without_rendering()
        places.append(film.ax.get_position().bounds)
    np.testing.assert_allclose(places[1:], [places[0]] * 2, rtol=1e-9)


@pytest.mark.parametrize(
    ("follow", "error", "text"),
    [
        (3, IndexError, "follow: must be a column, < 3, got 3"),
        ("ball", TypeError, "follow: poses have no names"),
        (1.5, TypeError, "follow: must be the name of a body or its column, got float"),
    ],
)
def test_what_cannot_be_followed(follow, error, text):
    with pytest.raises(error, match=text):
        small(follow=follow)


def test_what_cannot_be_followed_in_a_trajectory():
    trajectory = run()
    with pytest.raises(KeyError, match="did you mean 'floor'"):
        plot.animate(trajectory, follow="flor")
    with pytest.raises(
        TypeError, match="follow: must be the name of a body or its column, got list"
    ):
        plot.animate(trajectory, follow=[0, 1])
    with pytest.raises(ValueError, match="follow: the body lives in no frame"):
        plot.animate(np.full((2, 1, 3), np.nan), p2.Box(1, 1), follow=0)
    with pytest.raises(ValueError, match="follow: a wrapped world"):
        plot.animate(run(wrap=(40, 40)), follow=0)
