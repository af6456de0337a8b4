/** The addresses of a comma-separated list. Nothing between two commas, or after the last one, is none. */
export const readEmailList = (text: string): string[] =>
  text
    .split(',')
    .map((email) => email.trim())
    .filter((email) => email !== '')

/** Writes addresses as `readEmailList` reads them. */
export const writeEmailList = (emails: readonly string[]): string => emails.join(', ')
