/**
 * The header that makes a browser save a file under `name` (RFC 6266), in UTF-8, preceded by an ASCII fallback for
 * older clients.
 */
export function attachment(name: string | undefined): string {
  if (name === undefined) return 'attachment'
  const safe = name.toWellFormed().replace(/[\p{Cc}/\\]/gu, '_')
  // Some clients decode percent signs even here, others end the name at an escaped quote, so both are replaced.
  const plain = safe.replace(/[^\x20-\x7e]|["%]/gu, '_')
  return `attachment; filename="${plain}"; filename*=UTF-8''${encodeExtended(safe)}`
}

/** Encodes by RFC 5987, where ' ( ) * are special: encodeURIComponent leaves them unchanged. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replace(/['()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
