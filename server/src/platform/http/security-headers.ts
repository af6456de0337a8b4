import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'
import type { Config } from '#platform/config.ts'

/**
 * The headers that tell browsers what the portal's pages may do. Helmet works them out once: they are the same for every
 * answer, and working them out for each took a fifth of a small one's time. `inlineScripts` are the sources of the scripts
 * within the pages; they are allowed by their hashes.
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
        // Uploads go straight to the storage by a signed link.
        connectSrc: s3 ? ["'self'", new URL(s3.endpoint).origin] : ["'self'"],
        // Pages of the configured modules only.
        frameSrc: framed.size > 0 ? [...framed] : ["'none'"],
        manifestSrc: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
        formAction: ["'self'"],
        upgradeInsecureRequests: isEncrypted ? [] : null,
      },
    },
    // As frame-ancestors says; for browsers that do not know that.
    frameguard: { action: 'deny' },
    strictTransportSecurity: isEncrypted ? { maxAge: 63_072_000 } : false,
  })
  // Not cached unless a reply says otherwise.
  const headers: Record<string, string> = { 'cache-control': 'no-store' }
  // All that helmet does with an answer.
  const answer = {
    setHeader: (name: string, value: string) => void (headers[name.toLowerCase()] = value),
    removeHeader: () => {},
  }
  setHeaders({} as IncomingMessage, answer as unknown as ServerResponse, () => {})
  return headers
}

const hashSource = (script: string): string => `'sha256-${createHash('sha256').update(script).digest('base64')}'`
