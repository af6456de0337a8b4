const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Text as XML, of an attribute too. */
export const escapeXml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => signs[sign] ?? sign)

/** A code that readers of sheets take for a character, such as `_x0001_`. */
export const codeText = (code: number): string => `_x${code.toString(16).toUpperCase().padStart(4, '0')}_`

// XML has neither, and would make a carriage return a line feed.
const lacking = /[^\P{Cc}\t\n\u007F-\u009F]|[\uFFFE\uFFFF]/gu

/** The text of a cell as XML, with codes for the characters that XML lacks. */
export const cellText = (text: string): string =>
  escapeXml(
    text
      .toWellFormed()
      // The underscore of a code that the text has itself is written as one, so that it is not read as another character.
      .replaceAll(/_(?=x[0-9a-f]{4}_)/gi, codeText(0x5f))
      .replaceAll(lacking, (character) => codeText(character.charCodeAt(0))),
  )
