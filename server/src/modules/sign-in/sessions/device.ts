// User agents of the earlier entries contain the names of later ones too, so the first match wins.
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

// Programs other than the browsers above: they say who they are themselves, also to mislead the reader of an email.
const unknownProgram = 'an unknown program'

/** A user agent in words, such as `Chrome on Windows`. None of the words are the sender's own. */
export function deviceInWords(userAgent: string): string {
  const browser = nameIn(browsers, userAgent)
  const system = nameIn(systems, userAgent)
  if (browser) return system ? `${browser} on ${system}` : browser
  return system ? `${unknownProgram} on ${system}` : unknownProgram
}

/** The key of a device among those of a person. Never shown: a program has its own name in it, such as `curl/8.5.0`. */
export function deviceKey(userAgent: string): string {
  if (nameIn(browsers, userAgent)) return deviceInWords(userAgent)
  const [product = ''] = userAgent.slice(0, mostRead).trim().split(/\s+/)
  return product.slice(0, 60) || 'Unknown device'
}

/** Browsers say who they are in less than this; a header may be much longer. */
const mostRead = 1000

function nameIn(names: [RegExp, string][], userAgent: string): string | undefined {
  const start = userAgent.slice(0, mostRead)
  return names.find(([pattern]) => pattern.test(start))?.[1]
}
