/** The years in UTC of all moments, which all files and calls can write. */
export const momentYears = 'the years 1000 to 9999 in UTC'

export const firstMomentMs = Date.UTC(1000, 0, 1)
export const lastMomentMs = Date.UTC(10_000, 0, 1) - 1

/** Returns whether a moment, in whole milliseconds of UTC, is within the years of moments. */
export const isInMomentYears = (ms: number): boolean => ms >= firstMomentMs && ms <= lastMomentMs
