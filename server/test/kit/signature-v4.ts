import { createHash, createHmac } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'

export type SignedRequest = { method: string; url: string; headers: IncomingHttpHeaders }
type Credentials = { accessKey: string; secretKey: string }
type Claim = { credential: string; signedHeaders: string; signature: string; date: string; payloadHash: string }

/**
 * Returns why a bucket would refuse the signature of a request (AWS Signature Version 4, in the header or the link), or
 * null. Written from Amazon's description and tested with its examples, independently of our client.
 */
export function signatureProblem(request: SignedRequest, { accessKey, secretKey }: Credentials): string | null {
  const url = new URL(request.url, 'http://bucket')
  const expiresSeconds = url.searchParams.get('X-Amz-Expires')
  const claim = expiresSeconds === null ? claimOfHeader(request.headers) : claimOfLink(url.searchParams)
  if (!claim) return 'AccessDenied'
  const [givenKey, ...scope] = claim.credential.split('/')
  if (givenKey !== accessKey) return 'InvalidAccessKeyId'
  const canonical = [
    request.method,
    url.pathname,
    canonicalQuery(url.searchParams),
    ...claim.signedHeaders.split(';').map((name) => `${name}:${String(request.headers[name] ?? '').trim()}`),
    '',
    claim.signedHeaders,
    claim.payloadHash,
  ].join('\n')
  const toSign = ['AWS4-HMAC-SHA256', claim.date, scope.join('/'), sha256(canonical)].join('\n')
  const key = scope.reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${secretKey}`)
  if (hmac(key, toSign).toString('hex') !== claim.signature) return 'SignatureDoesNotMatch'
  const signedAt = Date.parse(claim.date.replace(/(....)(..)(..T..)(..)(..Z)/, '$1-$2-$3:$4:$5'))
  const isOver = Date.now() >= signedAt + Number(expiresSeconds ?? 15 * 60) * 1000
  return isOver ? 'AccessDenied' : null
}

function claimOfLink(query: URLSearchParams): Claim {
  const get = (name: string): string => query.get(`X-Amz-${name}`) ?? ''
  return {
    credential: get('Credential'),
    signedHeaders: get('SignedHeaders'),
    signature: get('Signature'),
    date: get('Date'),
    payloadHash: query.get('X-Amz-Content-Sha256') ?? 'UNSIGNED-PAYLOAD',
  }
}

function claimOfHeader(headers: IncomingHttpHeaders): Claim | null {
  const pattern = /^AWS4-HMAC-SHA256 Credential=([^, ]+), ?SignedHeaders=([^, ]+), ?Signature=(\w+)$/
  const [, credential, signedHeaders, signature] = pattern.exec(headers.authorization ?? '') ?? []
  if (!credential || !signedHeaders || !signature) return null
  const header = (name: string): string => String(headers[name] ?? '')
  return {
    credential,
    signedHeaders,
    signature,
    date: header('x-amz-date'),
    payloadHash: header('x-amz-content-sha256'),
  }
}

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .filter(([name]) => name !== 'X-Amz-Signature')
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .sort()
    .join('&')
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
