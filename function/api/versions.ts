import semverSatisfies from 'semver/functions/satisfies.js';
import validRange from 'semver/ranges/valid.js';

/**
 * Versions are compared as npm does, since they are versions of an npm package, with one difference: npm keeps
 * prereleases out of ranges so that nobody gets one unasked, but here the exact version was asked for.
 */
const OPTIONS = { includePrerelease: true };

/** Whether an exact version lies in a range; a version or range that cannot be read matches nothing. */
export function satisfies(version: string, range: string): boolean {
  return semverSatisfies(version, range, OPTIONS);
}

export function isVersionRange(text: string): boolean {
  return text.trim() !== '' && validRange(text, OPTIONS) !== null;
}
