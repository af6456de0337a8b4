import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'
import type { Config } from '#platform/config.ts'

/**
 * Returns the security headers of every response. Helmet computes them once; computing them for each response took a
 * fifth of a small response's time. `inlineScripts` are the sources of the inline scripts of the pages, allowed by
 * their hashes.
 */
export function securityHeaders(
  { publicUrl, s3, moduleUrls }: Pick<Config, 'publicUrl' | 's3' | 'moduleUrls'>,
  inlineScripts: string[] = [],
): Record<string, string> {
  const isEncrypted = publicUrl.startsWith('https:')
  const framed = new Set(Object.values(moduleUrls).map((url) => new URL(url).origin))
  const setHeaders = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      // Everything not listed is forbidden.
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'", ...inlineScripts.map(hashSource)],
        // Mantine sets CSS variables in style attributes and one style element.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        fontSrc: ["'self'"],
        // Uploads go straight to the storage by signed links.
        connectSrc: s3 ? ["'self'", new URL(s3.endpoint).origin] : ["'self'"],
        // Only pages of the configured modules.
        frameSrc: framed.size > 0 ? [...framed] : ["'none'"],
        manifestSrc: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        upgradeInsecureRequests: isEncrypted ? [] : null,
      },
    },
    // For browsers that do not support frame-ancestors.
    frameguard: { action: 'deny' },
    strictTransportSecurity: isEncrypted ? { maxAge: 63_072_000 } : false,
  })
  // Not cached unless a reply sets its own header.
  const headers: Record<string, string> = { 'cache-control': 'no-store' }
  // The only methods of a response that helmet uses.
  const reply = {
    setHeader: (name: string, value: string) => void (headers[name.toLowerCase()] = value),
    removeHeader: () => {},
  }
  setHeaders({} as IncomingMessage, reply as unknown as ServerResponse, () => {})
  return headers
}

/** Headers of calls from pages of other sites: these may read the replies, which are for one page and one moment. */
export const doorHeaders: Readonly<Record<string, string>> = {
  'cache-control': 'no-store',
  vary: 'Origin',
  'cross-origin-resource-policy': 'cross-origin',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

const hashSource = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`
