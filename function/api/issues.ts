/** One violation of a schema or rule. Errors are data until the edge. */
export interface Issue {
  /** field path as the API server writes it, such as `spec.platform.tenants[2].name`; empty for the whole object */
  readonly path: string;
  /** one line, without the path, such as `name must be at most 63 characters` */
  readonly message: string;
}

export type Parsed<T> = { readonly value: T } | { readonly issues: readonly Issue[] };

export function formatIssue(issue: Issue): string {
  return issue.path === '' ? issue.message : `${issue.path}: ${issue.message}`;
}
