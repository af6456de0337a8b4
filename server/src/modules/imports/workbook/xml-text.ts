/** Texts of XML: references to characters, and the escapes that workbooks add. */

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Replaces references to characters. One to anything else stays as it is written: there is nothing that it could name. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,4}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/** Replaces `_xHHHH_`, by which workbooks write characters that XML cannot hold; `_x005F_` is an underscore before such. */
export function decodeEscapes(text: string): string {
  return text.replaceAll(/_x([\da-fA-F]{4})_/g, (_whole, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
