import { Fault } from './errors.ts';

/** The place where the codec stands in a message: field names, map keys and list positions from the outside in. */
export class Trail {
  /** Only the first `depth` steps count; what lies beyond is left over from places visited before. */
  readonly steps: (string | number)[] = [];
  depth = 0;
  private readonly limit: number;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Goes one level down and gives the index of the step that names the place there. */
  descend(): number {
    if (this.depth >= this.limit) throw new Fault(`nests deeper than ${this.limit} levels`);
    this.steps[this.depth] = UNKNOWN;
    return this.depth++;
  }

  toString(): string {
    const steps = this.steps.slice(0, this.depth);
    if (steps.length <= SHOWN) return steps.map(format).join('');
    return [...steps.slice(0, SHOWN).map(format), ' and deeper'].join('');
  }
}

/** A key that is not read yet, or that is no name of a field or resource. */
export const UNKNOWN = '';
const SHOWN = 24;
const IDENTIFIER = /^[A-Za-z][A-Za-z0-9]{0,62}$/;
const NAME = /^[A-Za-z][A-Za-z0-9._/-]{0,62}$/;

/** Keys are free text: only what looks like the name of a field, label or resource is told. */
function format(step: string | number, index: number): string {
  if (typeof step === 'number') return `[${step}]`;
  if (IDENTIFIER.test(step)) return index === 0 ? step : `.${step}`;
  return NAME.test(step) ? `["${step}"]` : '[?]';
}
