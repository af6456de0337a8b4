import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { signatureProblem } from '#test/kit/signature-v4.ts'

// Amazon's published examples: "Signature Calculations for the Authorization Header" and "Authenticating Requests:
// Using Query Parameters" in the API reference of S3.
const credentials = { accessKey: 'AKIAIOSFODNN7EXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }
const host = 'examplebucket.s3.amazonaws.com'
const date = '20130524T000000Z'
const scope = 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request'
const emptyHash = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2013-05-24T00:05:00Z') })
})
afterEach(() => {
  vi.useRealTimers()
})

const plain = 'host;x-amz-content-sha256;x-amz-date'
const examples = [
  {
    method: 'GET',
    url: '/test.txt',
    signedHeaders: 'host;range;x-amz-content-sha256;x-amz-date',
    more: { range: 'bytes=0-9' },
    signature: 'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
  {
    method: 'PUT',
    url: '/test%24file.text',
    signedHeaders: 'date;host;x-amz-content-sha256;x-amz-date;x-amz-storage-class',
    more: {
      date: 'Fri, 24 May 2013 00:00:00 GMT',
      'x-amz-storage-class': 'REDUCED_REDUNDANCY',
      'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
    },
    signature: '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  },
  {
    method: 'GET',
    url: '/?lifecycle',
    signedHeaders: plain,
    more: {},
    signature: 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  },
  {
    method: 'GET',
    url: '/?max-keys=2&prefix=J',
    signedHeaders: plain,
    more: {},
    signature: '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  },
]

test.each(examples)('accepts the published $method $url', ({ method, url, signedHeaders, more, signature }) => {
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope},SignedHeaders=${signedHeaders},Signature=${signature}`
  const headers = { host, 'x-amz-date': date, 'x-amz-content-sha256': emptyHash, authorization, ...more }
  expect(signatureProblem({ method, url, headers }, credentials)).toBeNull()
  expect(signatureProblem({ method: 'DELETE', url, headers }, credentials)).toBe('SignatureDoesNotMatch')
  vi.setSystemTime(Date.parse('2013-05-24T00:16:00Z'))
  expect(signatureProblem({ method, url, headers }, credentials)).toBe('AccessDenied')
})

test('accepts the published link until it expires', () => {
  const query = new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': scope,
    'X-Amz-Date': date,
    'X-Amz-Expires': '86400',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  })
  const request = { method: 'GET', url: `/test.txt?${query.toString()}`, headers: { host } }
  expect(signatureProblem(request, credentials)).toBeNull()
  expect(signatureProblem({ ...request, url: request.url.replace('test', 'tost') }, credentials)).not.toBeNull()
  vi.setSystemTime(Date.parse('2013-05-25T00:00:00Z'))
  expect(signatureProblem(request, credentials)).toBe('AccessDenied')
})
