/** Methods by path, to distinguish 404 from 405. Used only for requests without a matching route, so it may be slow. */
export function createAllowedMethods() {
  const patterns = new Map<string, { shape: RegExp; methods: Set<string> }>();

  return {
    add(method: string | string[], pattern: string): void {
      const known = patterns.get(pattern) ?? { shape: shapeOf(pattern), methods: new Set<string>() };
      for (const each of [method].flat()) known.methods.add(each);
      patterns.set(pattern, known);
    },
    /** The value of `Allow`; undefined for an unknown path. */
    allowed(path: string): string | undefined {
      const methods = [...patterns.values()]
        .filter((known) => known.shape.test(path))
        .flatMap((known) => [...known.methods]);
      return methods.length === 0 ? undefined : [...new Set(methods)].sort().join(', ');
    },
  };
}

function shapeOf(pattern: string): RegExp {
  const source = pattern
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replace(/:[A-Za-z0-9_]+/g, '[^/]+')
    .replaceAll('*', '.*');
  // eslint-disable-next-line no-restricted-syntax -- built from our own routes: each part ends at the next slash
  return new RegExp(`^${source}$`);
}
