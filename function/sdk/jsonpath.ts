/**
 * Stands in for the package jsonpath, by an alias of the bundler and of vitest. @crossplane-js/sdk imports it for its
 * FieldRef, which nothing here uses, and the package itself resolves files of its own at load time, so it cannot be bundled.
 */
const unused = {
  value(): never {
    throw new Error('jsonpath is not part of this bundle');
  },
};

export default unused;
