/** A name as labels and annotations have it: optional DNS prefix, a slash, up to 63 characters (apimachinery IsQualifiedName). */
const NAME = /^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)$/;
const PREFIX = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
const LABEL_VALUE = /^([A-Za-z0-9]([A-Za-z0-9_.-]{0,61}[A-Za-z0-9])?)?$/;

function nameTrouble(name: string): string | undefined {
  const [first = '', second, ...more] = name.split('/');
  const isGood =
    second === undefined
      ? NAME.test(first)
      : more.length === 0 && first.length <= 253 && PREFIX.test(first) && NAME.test(second);
  return isGood ? undefined : 'must be a qualified name such as team.example/owner';
}

/** Why the API server would refuse the label; undefined for a good one. */
export function labelTrouble(name: string, value: string): string | undefined {
  if (!LABEL_VALUE.test(value))
    return 'must be at most 63 letters, digits and . _ - that begin and end with one of the first two';
  return nameTrouble(name);
}

/** Why the API server would refuse the annotation; undefined for a good one. */
export function annotationTrouble(name: string, _value: string): string | undefined {
  return nameTrouble(name.toLowerCase());
}
