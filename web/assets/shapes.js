// Arrows and circles over the board: of the analysis, of the review, and drawn by the user.

const NAMESPACE = "http://www.w3.org/2000/svg";

export class Shapes {
  constructor(svg, board) {
    Object.assign(this, { svg, board });
    /** Lists of shapes by their origin; later ones lie above. */
    this.layers = { analysis: [], review: [], drawn: [], practice: [], sketch: [] };
  }

  /** Sets the shapes of a layer: arrows {from, to, weight, colour}, circles {from, colour}. */
  set(layer, shapes) {
    this.layers[layer] = shapes;
    this.draw();
  }

  draw() {
    const elements = Object.entries(this.layers).flatMap(([layer, shapes]) => shapes.map((shape) => this.element(layer, shape)));
    this.svg.replaceChildren(...elements);
  }

  element(layer, { from, to, weight = 0.7, colour }) {
    const a = this.board.screenPosition(from);
    const element = document.createElementNS(NAMESPACE, to ? "path" : "circle");
    const attributes = to
      ? { d: arrowPath(a, this.board.screenPosition(to), 0.1 + 0.08 * weight), opacity: 0.3 + 0.5 * weight, "data-move": from + to }
      : { cx: a.x + 0.5, cy: a.y + 0.5, r: 0.44, "data-square": from };
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    element.classList.add(layer, ...(colour ? [colour] : []));
    return element;
  }
}

/** The outline of an arrow from the centre of square a to the centre of square b. */
function arrowPath(a, b, width) {
  const [x1, y1, x2, y2] = [a.x + 0.5, a.y + 0.5, b.x + 0.5, b.y + 0.5];
  const length = Math.hypot(x2 - x1, y2 - y1) || 1;
  const [ux, uy] = [(x2 - x1) / length, (y2 - y1) / length];
  const head = width * 1.9;
  const at = (along, aside) => {
    const x = x1 + ux * along - uy * aside;
    const y = y1 + uy * along + ux * aside;
    return `${x.toFixed(3)} ${y.toFixed(3)}`;
  };
  const [tail, neck, tip, half] = [0.28, length - head - 0.08, length - 0.08, width / 2];
  return `M${at(tail, -half)} L${at(neck, -half)} L${at(neck, -width * 1.15)} L${at(tip, 0)} `
    + `L${at(neck, width * 1.15)} L${at(neck, half)} L${at(tail, half)} Z`;
}
