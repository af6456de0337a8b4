const parsed = (text: string): unknown => JSON.parse(text)

/** Values to replace any other. */
const odd: unknown[] = [
  { $ne: null },
  { $regex: '.*' },
  { $gt: '' },
  [],
  [[]],
  [{ $ne: 1 }],
  {},
  null,
  true,
  -1,
  1.5,
  1e308,
  2 ** 53,
  '',
  '__proto__',
  'constructor',
  '$Secret',
  '{{Secret}}',
  'Secret',
  'hidden-value-1',
  '\0',
  '2026-02-30',
  '9999-12-31',
  parsed('{"__proto__":{"Secret":1}}'),
  parsed('{"constructor":{"prototype":{"Secret":1}}}'),
  'x'.repeat(100_001),
]

/** Returns the value with each of its parts replaced, and with a part added to each object, in turn. */
export function variants(value: unknown): [place: string, changed: unknown][] {
  const replaced = odd.map((other, at): [string, unknown] => [`= odd ${at}`, other])
  if (Array.isArray(value)) {
    const inner = value.flatMap((each, at) =>
      variants(each).map(([place, changed]): [string, unknown] => [`.${at}${place}`, value.with(at, changed)]),
    )
    return [...replaced, ...inner]
  }
  if (typeof value !== 'object' || value === null) return replaced
  const added = ['filter', 'columns', 'field', 'aggregate', '$where'].map((name): [string, unknown] => [
    ` + ${name}`,
    { ...value, [name]: 'Secret' },
  ])
  const inner = Object.entries(value).flatMap(([name, each]) =>
    variants(each).map(([place, changed]): [string, unknown] => [`.${name}${place}`, { ...value, [name]: changed }]),
  )
  return [...replaced, ...added, ...inner]
}
