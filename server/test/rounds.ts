/**
 * How often a random or destructive test repeats itself: fewer times in the suite, and as often as `long` says in
 * `npm run test:long`, which runs these files alone.
 */
export const rounds = (inSuite: number, long: number): number => (isLong ? long : inSuite)

export const isLong = process.env['PORTICO_LONG_TESTS'] !== undefined
