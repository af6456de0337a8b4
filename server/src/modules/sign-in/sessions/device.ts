// User agents of browsers listed first also contain the names of later ones, so the first match wins.
const browsers: [RegExp, string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS|HeadlessChrome)\//, 'Chrome'],
  [/\bVersion\/.{0,100}\bSafari\//, 'Safari'],
]
const systems: [RegExp, string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

// Other programs: the name they send is their own choice, and may be meant to mislead the reader of an email.
const unknownProgram = 'an unknown program'

/** A user agent in words, such as `Chrome on Windows`. None of the words come from the sender. */
export function deviceInWords(userAgent: string): string {
  const browser = nameIn(browsers, userAgent)
  const system = nameIn(systems, userAgent)
  if (browser) return system ? `${browser} on ${system}` : browser
  return system ? `${unknownProgram} on ${system}` : unknownProgram
}

/**
 * The key of a device among a person's devices. Never shown: for a program it contains the name it sends, such as
 * `curl/8.5.0`.
 */
export function deviceKey(userAgent: string): string {
  if (nameIn(browsers, userAgent)) return deviceInWords(userAgent)
  const [product = ''] = userAgent.slice(0, mostRead).trim().split(/\s+/)
  return product.slice(0, 60) || 'Unknown device'
}

/** Browsers identify themselves within this length; a header may be much longer. */
const mostRead = 1000

function nameIn(names: [RegExp, string][], userAgent: string): string | undefined {
  const start = userAgent.slice(0, mostRead)
  return names.find(([pattern]) => pattern.test(start))?.[1]
}
