/**
 * Returns how often a random or destructive test repeats: fewer times in the suite, and `long` times in `npm run
 * test:long`, which runs only these files.
 */
export const rounds = (inSuite: number, long: number): number => (isLong ? long : inSuite)

export const isLong = process.env['PORTICO_LONG_TESTS'] !== undefined
