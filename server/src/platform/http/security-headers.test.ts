import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { securityHeaders } from './security-headers.ts'
import { scriptsWithin } from './web-app.ts'

const plain = { publicUrl: 'http://localhost:8080', s3: null, moduleUrls: {} }
const policyOf = (changes: Partial<Parameters<typeof securityHeaders>[0]> = {}): string[] =>
  (securityHeaders({ ...plain, ...changes })['content-security-policy'] ?? '').split(';')

test('forbids everything not listed, inline scripts, framing and another base', () => {
  const policy = policyOf()
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-src 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self'",
  ]) {
    expect(policy).toContain(rule)
  }
  expect(policy.join(';')).not.toMatch(/unsafe-eval|script-src[^;]*unsafe-inline|\*/)
})

test('allows inline scripts of its own page only by hash', () => {
  const [script = ''] = scriptsWithin('<head><script>go()</script><script src="/a.js"></script></head>')
  expect(script).toBe('go()')
  const policy = (securityHeaders(plain, [script])['content-security-policy'] ?? '').split(';')
  const hash = createHash('sha256').update('go()').digest('base64')
  expect(policy).toContain(`script-src 'self' 'sha256-${hash}'`)
})

test('allows frames only from the origins of modules', () => {
  const moduleUrls = {
    crm: 'https://crm.example.com/start?a=1',
    assets: 'https://crm.example.com/assets',
    objectives: 'http://campaigns.example.com:8443/',
  }
  expect(policyOf({ moduleUrls })).toContain('frame-src https://crm.example.com http://campaigns.example.com:8443')
})

test('forces HTTPS if the portal uses it', () => {
  const headers = securityHeaders({ ...plain, publicUrl: 'https://portal.example.com' })
  expect(headers['strict-transport-security']).toMatch(/^max-age=63072000; includeSubDomains$/)
  expect(headers['content-security-policy']).toContain('upgrade-insecure-requests')
  expect(securityHeaders(plain)['strict-transport-security']).toBeUndefined()
  expect(securityHeaders(plain)['content-security-policy']).not.toContain('upgrade-insecure-requests')
})

test('sends no referrer to other sites, and disables type sniffing', () => {
  expect(securityHeaders(plain)).toMatchObject({
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'cross-origin-resource-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
  })
})
