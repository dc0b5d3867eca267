import type { Issue } from '../api/issues.ts';

/** Where in the input something is wrong, for a person to find it. */
export interface Problem extends Issue {
  readonly file: string;
  /** counted from 1 in its file; undefined for the file as a whole */
  readonly document?: number;
}

/** `xr.yaml: document 1: spec.version: must be an exact version` */
export function formatProblem(problem: Problem): string {
  const place = problem.document === undefined ? '' : `document ${problem.document}: `;
  return `${problem.file}: ${place}${problem.path === '' ? '' : `${problem.path}: `}${problem.message}`;
}

/** A value read in spite of problems, so that all problems are told at once. */
export interface Read<T> {
  readonly value: T;
  readonly problems: readonly Problem[];
}
