// Bodies by WebGL2, for scenes that are too large for one path a body: the outlines of all bodies lie
// in three static buffers, and a frame uploads one texture of poses. Every vertex knows the number of
// its body. Lines are smooth by their distance from the middle, so no multisampling is needed.
import { AREA, CIRCLE, CONCAVE, LOOP, SENSOR } from "./drawing.js";

const MOST_STYLES = 32;
const HEAD = `#version 300 es
precision highp float;
precision highp int;
uniform sampler2D poses; // x, y, angle, style of a body
uniform vec4 view;       // camera x and y, and what takes metres to clip space
uniform float pixel;     // metres
uniform float ratio;     // pixels of the screen in one of the page
vec4 poseOf(uint body) {
  int width = textureSize(poses, 0).x;
  return texelFetch(poses, ivec2(int(body) % width, int(body) / width), 0);
}
vec2 turned(vec2 v, float angle) {
  float c = cos(angle), s = sin(angle);
  return vec2(c * v.x - s * v.y, s * v.x + c * v.y);
}
vec4 clip(vec2 at, float style) {
  return style < 0.0 ? vec4(2.0, 2.0, 2.0, 1.0) : vec4((at - view.xy) * view.zw, 0.0, 1.0);
}
`;
const FACES = `uniform vec3 faces[${MOST_STYLES}];\n`, EDGES = `uniform vec3 edges[${MOST_STYLES}];\n`;
const OUT = "#version 300 es\nprecision highp float;\nout vec4 color;\n";

const FILL = [`${HEAD}${FACES}
in vec2 place; in uint body; flat out vec3 face;
void main() {
  vec4 pose = poseOf(body);
  face = faces[int(max(pose.w, 0.0))];
  gl_Position = clip(pose.xy + turned(place, pose.z), pose.w);
}`, `${OUT}flat in vec3 face;
void main() { color = vec4(face, 1.0); }`];

const STROKE = [`${HEAD}${EDGES}
in vec2 corner; in vec4 ends; in uint body; in float width;
flat out vec3 edge; out float across; flat out float half_width;
void main() {
  vec4 pose = poseOf(body);
  vec2 a = pose.xy + turned(ends.xy, pose.z), b = pose.xy + turned(ends.zw, pose.z);
  vec2 along = b - a;
  float size = length(along);
  along = size > 0.0 ? along / size : vec2(1.0, 0.0);
  half_width = 0.5 * width * ratio;
  float reach = half_width + 0.75;
  across = corner.y * reach;
  vec2 at = mix(a, b, corner.x) + (along * (2.0 * corner.x - 1.0) * half_width
    + vec2(-along.y, along.x) * across) * pixel;
  edge = edges[int(max(pose.w, 0.0))];
  gl_Position = clip(at, pose.w);
}`, `${OUT}flat in vec3 edge; in float across; flat in float half_width;
void main() {
  float cover = clamp(half_width + 0.5 - abs(across), 0.0, 1.0);
  color = vec4(edge * cover, cover);
}`];

const ROUND = [`${HEAD}${FACES}${EDGES}
in vec2 corner; in vec3 circle; in uint body;
flat out vec3 face; flat out vec3 edge; out vec2 at_pixel; flat out float radius;
flat out float half_width;
void main() {
  vec4 pose = poseOf(body);
  half_width = 0.6 * ratio;
  vec2 local = corner * (circle.z + (half_width + 0.75) * pixel);
  at_pixel = local / pixel;
  radius = circle.z / pixel;
  int style = int(max(pose.w, 0.0));
  face = faces[style];
  edge = edges[style];
  gl_Position = clip(pose.xy + turned(circle.xy + local, pose.z), pose.w);
}`, `${OUT}flat in vec3 face; flat in vec3 edge; in vec2 at_pixel; flat in float radius;
flat in float half_width;
void main() {
  float far = length(at_pixel), line = half_width + 0.5;
  float cover = clamp(radius + line - far, 0.0, 1.0);
  float rim = clamp(line - abs(far - radius), 0.0, 1.0);
  float mark = radius > 5.0 * half_width && at_pixel.x > 0.0
    ? clamp(line - abs(at_pixel.y), 0.0, 1.0) : 0.0;
  vec3 mixed = mix(face, edge, max(rim, mark));
  color = vec4(mixed * cover, cover);
}`];

function makeProgram(gl, [vertex, fragment]) {
  const program = gl.createProgram();
  for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
    const shader = gl.createShader(type);
    gl.shaderSource(shader, text);
    gl.compileShader(shader);
    if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS) && !gl.isContextLost()) {
      throw new Error(gl.getShaderInfoLog(shader));
    }
    gl.attachShader(program, shader);
    gl.deleteShader(shader);
  }
  gl.linkProgram(program);
  return program;
}

// The bodies of one drawing.
export class Batch {
  // arrays: as readDrawing takes them; anyGl: by software too (slower than Canvas2D; for tests).
  // Throws where there is no such WebGL2, and for areas that are not convex: Canvas2D draws those.
  constructor(canvas, arrays, count, anyGl = false) {
    const name = (gl) => gl.getParameter(
      gl.getExtension("WEBGL_debug_renderer_info")?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER);
    const gl = canvas.getContext("webgl2", { alpha: true, antialias: false, depth: false,
      premultipliedAlpha: true, powerPreference: "high-performance",
      failIfMajorPerformanceCaveat: !anyGl });
    if (!gl || !anyGl && /swiftshader|llvmpipe|software/i.test(name(gl))) throw new Error("no GPU");
    this.gl = gl;
    this.canvas = canvas;
    this.count = count;
    this.fill = makeProgram(gl, FILL);
    this.stroke = makeProgram(gl, STROKE);
    this.round = makeProgram(gl, ROUND);
    this.buffers = [];
    this.arrays = [];
    this.build(arrays);
    this.texture = gl.createTexture();
    this.width = Math.min(1024, Math.max(1, count));
    this.height = Math.max(1, Math.ceil(count / this.width));
    this.poses = new Float32Array(4 * this.width * this.height);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texStorage2D(gl.TEXTURE_2D, 1, gl.RGBA32F, this.width, this.height);
    for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) {
      gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
    }
  }

  build({ colliders, points, rings, circles }) {
    const fills = [], fillBodies = [], strokes = [], strokeBodies = [], widths = [];
    const rounds = [], roundBodies = [];
    const place = (k) => fills.push(points[2 * k], points[2 * k + 1]);
    for (let row = 0; row < colliders.length; row += 5) {
      const [body, kind, first, items, flags] = colliders.subarray(row, row + 5);
      if (flags & SENSOR) continue; // drawn dashed, on top
      if (kind === CIRCLE) {
        for (let k = first; k < first + items; ++k) {
          rounds.push(...circles.subarray(3 * k, 3 * k + 3));
          roundBodies.push(body);
        }
        continue;
      }
      if (kind === AREA) {
        if (flags & CONCAVE) throw new Error("an area that is not convex");
        for (let k = rings[first] + 1; k + 1 < rings[first + 1]; ++k) {
          for (const j of [rings[first], k, k + 1]) place(j), fillBodies.push(body);
        }
      }
      for (let ring = first; ring < first + items; ++ring) {
        const begin = rings[ring], end = rings[ring + 1], closed = kind === AREA || kind === LOOP;
        for (let k = begin; k < end - (closed ? 0 : 1); ++k) {
          const next = k + 1 < end ? k + 1 : begin;
          strokes.push(points[2 * k], points[2 * k + 1], points[2 * next], points[2 * next + 1]);
          strokeBodies.push(body);
          widths.push(kind === AREA ? 1.2 : 2);
        }
      }
    }
    const { gl } = this;
    const quad = new Float32Array([0, -1, 1, -1, 0, 1, 1, 1]);
    const square = new Float32Array([-1, -1, 1, -1, -1, 1, 1, 1]);
    this.fillCount = fillBodies.length;
    this.strokeCount = strokeBodies.length;
    this.roundCount = roundBodies.length;
    this.fillArray = this.layout(this.fill, [["place", new Float32Array(fills), 2, 0],
      ["body", new Uint32Array(fillBodies), 1, 0]]);
    this.strokeArray = this.layout(this.stroke, [["corner", quad, 2, 0],
      ["ends", new Float32Array(strokes), 4, 1], ["body", new Uint32Array(strokeBodies), 1, 1],
      ["width", new Float32Array(widths), 1, 1]]);
    this.roundArray = this.layout(this.round, [["corner", square, 2, 0],
      ["circle", new Float32Array(rounds), 3, 1], ["body", new Uint32Array(roundBodies), 1, 1]]);
    gl.bindVertexArray(null);
  }

  layout(program, attributes) {
    const { gl } = this, array = gl.createVertexArray();
    gl.bindVertexArray(array);
    for (const [name, data, size, divisor] of attributes) {
      const buffer = gl.createBuffer(), at = gl.getAttribLocation(program, name);
      this.buffers.push(buffer);
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
      if (at < 0) continue;
      gl.enableVertexAttribArray(at);
      if (data instanceof Uint32Array) gl.vertexAttribIPointer(at, size, gl.UNSIGNED_INT, 0, 0);
      else gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
      gl.vertexAttribDivisor(at, divisor);
    }
    this.arrays.push(array);
    return array;
  }

  // styles: list of {face, edge} as [r, g, b] in 0 to 1; styleOf: body -> number in it
  draw(camera, width, height, ratio, poses, styles, styleOf) {
    const { gl, canvas } = this, w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (gl.isContextLost()) return false;
    if (canvas.width !== w || canvas.height !== h) canvas.width = w, canvas.height = h;
    for (let body = 0; body < this.count; ++body) {
      const x = poses[3 * body], there = x === x;
      this.poses[4 * body] = there ? x : 0;
      this.poses[4 * body + 1] = there ? poses[3 * body + 1] : 0;
      this.poses[4 * body + 2] = there ? poses[3 * body + 2] : 0;
      this.poses[4 * body + 3] = there ? styleOf(body) : -1;
    }
    gl.viewport(0, 0, w, h);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texSubImage2D(gl.TEXTURE_2D, 0, 0, 0, this.width, this.height, gl.RGBA, gl.FLOAT, this.poses);
    const faces = new Float32Array(3 * MOST_STYLES), edges = new Float32Array(3 * MOST_STYLES);
    styles.slice(0, MOST_STYLES).forEach(({ face, edge }, k) => {
      faces.set(face, 3 * k);
      edges.set(edge, 3 * k);
    });
    const set = (program) => {
      gl.useProgram(program);
      gl.uniform4f(gl.getUniformLocation(program, "view"), camera.x, camera.y,
        2 * camera.scale / width, 2 * camera.scale / height);
      gl.uniform1f(gl.getUniformLocation(program, "pixel"), 1 / (camera.scale * ratio));
      gl.uniform1f(gl.getUniformLocation(program, "ratio"), ratio);
      gl.uniform1i(gl.getUniformLocation(program, "poses"), 0);
      gl.uniform3fv(gl.getUniformLocation(program, "faces"), faces);
      gl.uniform3fv(gl.getUniformLocation(program, "edges"), edges);
    };
    if (this.fillCount) {
      set(this.fill);
      gl.bindVertexArray(this.fillArray);
      gl.drawArrays(gl.TRIANGLES, 0, this.fillCount);
    }
    if (this.roundCount) {
      set(this.round);
      gl.bindVertexArray(this.roundArray);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.roundCount);
    }
    if (this.strokeCount) {
      set(this.stroke);
      gl.bindVertexArray(this.strokeArray);
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, this.strokeCount);
    }
    gl.bindVertexArray(null);
    return true;
  }

  close() {
    const { gl } = this;
    for (const buffer of this.buffers) gl.deleteBuffer(buffer);
    for (const array of this.arrays) gl.deleteVertexArray(array);
    for (const program of [this.fill, this.stroke, this.round]) gl.deleteProgram(program);
    gl.deleteTexture(this.texture);
  }
}
