/** Splits a text into words at blanks and line breaks. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** Splits a text into phrases at semicolons. */
export const phrases = (text: string): readonly string[] => text.trim().split(/;\s+/)
