import type { IncomingMessage, ServerResponse } from 'node:http'
import helmet from 'helmet'
import type { Config } from './config.ts'

/**
 * The headers that tell browsers what the portal's pages may do. Helmet works them out once: they are the same for every
 * answer, and working them out for each took a fifth of a small one's time.
 */
export function securityHeaders({ publicUrl, s3 }: Pick<Config, 'publicUrl' | 's3'>): Record<string, string> {
  const isEncrypted = publicUrl.startsWith('https:')
  const setHeaders = helmet({
    contentSecurityPolicy: {
      directives: {
        defaultSrc: ["'self'"],
        scriptSrc: ["'self'"],
        // Mantine sets CSS variables in style attributes and one style element.
        styleSrc: ["'self'", "'unsafe-inline'"],
        imgSrc: ["'self'", 'data:', 'blob:'],
        // Uploads go straight to the storage by a signed link.
        connectSrc: s3 ? ["'self'", new URL(s3.endpoint).origin] : ["'self'"],
        frameAncestors: ["'none'"],
        objectSrc: ["'none'"],
        upgradeInsecureRequests: isEncrypted ? [] : null,
      },
    },
    strictTransportSecurity: isEncrypted ? { maxAge: 63_072_000 } : false,
  })
  const headers: Record<string, string> = {}
  // All that helmet does with an answer.
  const answer = {
    setHeader: (name: string, value: string) => void (headers[name.toLowerCase()] = value),
    removeHeader: () => {},
  }
  setHeaders({} as IncomingMessage, answer as unknown as ServerResponse, () => {})
  return headers
}
