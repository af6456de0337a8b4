/** Texts of XML: references to characters, and the additional escapes of workbooks. */

const named: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

/** Replaces references to characters. Other references are left unchanged: they cannot name anything. */
export function decodeReferences(text: string): string {
  if (!text.includes('&')) return text
  return text.replaceAll(/&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|(\w{2,4}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return named[name] ?? whole
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal)
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole
  })
}

/**
 * Replaces `_xHHHH_`, with which workbooks write characters that XML cannot contain; `_x005F_` is an underscore before
 * such an escape.
 */
export function decodeEscapes(text: string): string {
  return text.replaceAll(/_x([\da-fA-F]{4})_/g, (_whole, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  )
}
