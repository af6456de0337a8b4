/** The words of a text, apart by blanks and line breaks. */
export const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** The phrases of a text, apart by semicolons. */
export const phrases = (text: string): readonly string[] => text.trim().split(/;\s+/)
