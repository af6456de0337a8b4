/** Most pixels of an image that can become a photo. */
export const photoMaxPixels = 25_000_000

/**
 * Exit codes by which `photo-process.ts` reports why there is no photo. Node.js itself uses 1 to 13, and 128 and above.
 */
export const photoExit = { damaged: 20, tooLarge: 21 } as const
