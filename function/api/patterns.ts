/**
 * Patterns are written for the API server, which runs them on Go's regexp: there `\s` is six ASCII characters at most,
 * in JavaScript also every Unicode space. Source: RE2 syntax, Perl character classes.
 */
export function goExpression(pattern: string): RegExp {
  return new RegExp(pattern.replaceAll('\\s', '\\t\\n\\f\\r '), 'u');
}

/** The API server counts characters, JavaScript UTF-16 units. */
export function codePoints(value: string): number {
  let count = 0;
  for (const _ of value) count += 1;
  return count;
}

/** Lower-case words joined by single hyphens, starting with a letter. */
export const NAME = '^[a-z][a-z0-9]*(-[a-z0-9]+)*$';
export const EXACT_VERSION = '^[0-9]+\\.[0-9]+\\.[0-9]+(-[0-9A-Za-z.-]+)?$';
export const QUANTITY = '^[0-9]+(\\.[0-9]+)?(m|Ki|Mi|Gi|Ti)?$';
export const IMAGE = '^[^\\s@]+(@sha256:[0-9a-f]{64})?$';
export const PINNED_IMAGE = '^[^@\\s]+@sha256:[0-9a-f]{64}$';
export const HTTP_URL = '^https?://';

/** DNS subdomain and label of RFC 1123, as the API server asks of metadata.name and of namespaces. */
export const RESOURCE_NAME = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
export const NAMESPACE = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
