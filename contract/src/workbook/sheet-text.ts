const signs: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

/** Escapes text for XML, including attributes. */
export const escapeXml = (text: string): string => text.replaceAll(/[&<>"]/g, (sign) => signs[sign] ?? sign)

/** Returns a code that readers of sheets decode to a character, such as `_x0001_`. */
export const codeText = (code: number): string => `_x${code.toString(16).toUpperCase().padStart(4, '0')}_`

// XML lacks these, and would turn a carriage return into a line feed.
const lacking = /[^\P{Cc}\t\n\u007F-\u009F]|[\uFFFE\uFFFF]/gu

/** Returns the text of a cell as XML, with codes for the characters that XML lacks. */
export const cellText = (text: string): string =>
  escapeXml(
    text
      .toWellFormed()
      // If the text itself contains a code, its underscore becomes a code, or it would be read as another character.
      .replaceAll(/_(?=x[0-9a-f]{4}_)/gi, codeText(0x5f))
      .replaceAll(lacking, (character) => codeText(character.charCodeAt(0))),
  )
