import { expect, test } from 'vitest'
import { failureOf, traceOf } from './delivery-failure.ts'

const coded = (message: string, code: unknown) => Object.assign(new Error(message), { code })

test.each([
  [new TypeError('Invalid header value: s3cret'), 'The call failed.'],
  [new TypeError('fetch failed', { cause: coded('at s3cret', 'UND_ERR_NEW') }), 'The call failed (UND_ERR_NEW).'],
  [coded('s3cret', 's3cret'), 'The call failed.'],
  [coded('s3cret', 'toString'), 'The call failed.'],
  ['s3cret', 'The call failed.'],
  [
    new TypeError('fetch failed', { cause: coded('s3cret', 'CERT_HAS_EXPIRED') }),
    'The certificate of the server has expired.',
  ],
])('%s is reported by its code, without the message of the library', (error, reason) => {
  expect(failureOf(error)).toMatchObject({ message: reason, isFinal: false })
})

test('the log contains the location of an error without its message', () => {
  const trace = traceOf(new TypeError('a\n    b s3cret', { cause: coded('s3cret', 'ECONNRESET') }))
  expect(trace).toMatchObject({ errors: [{ name: 'TypeError' }, { name: 'Error', code: 'ECONNRESET' }] })
  expect(trace.at[0]).toContain('delivery-failure.test.ts')
  expect(JSON.stringify(trace)).not.toContain('s3cret')
})
