import { HttpNotification, secretMark } from '@portico/contract/notifications'
import { expect, test } from 'vitest'
import { timed } from '#test/kit/timed.ts'
import {
  mergedHttpSecrets,
  missingHttpSecrets,
  splitHttpSecrets,
  usedHttpSecrets,
  withHttpSecrets,
} from './http-secrets.ts'

const slow = { timeout: 200_000 }

const aCall = (body: object) =>
  HttpNotification.parse({ type: 'http', method: 'post', endpoint: 'https://example.com/', body })
const nested = (levels: number, value: unknown): unknown =>
  levels === 0 ? value : { ['x'.repeat(5000)]: nested(levels - 1, value) }

test.each<[string, object]>([
  ['a long name above many values', { [`token${'x'.repeat(50_000)}`]: Array.from({ length: 20_000 }, (_, at) => at) }],
  [
    'long names above each other',
    {
      token: nested(
        150,
        Array.from({ length: 5000 }, (_, at) => at),
      ),
    },
  ],
  ['many values', { token: Array.from({ length: 100_000 }, (_, at) => at % 10) }],
])('the secrets of a stored body with %s are extracted and filled in within linear time', slow, (_name, body) => {
  const stored = aCall(body)
  const { settings, secrets } = timed(() => splitHttpSecrets(stored))
  expect(timed(() => splitHttpSecrets(settings))).toEqual({ settings, secrets: {} })
  expect(timed(() => missingHttpSecrets(settings, {}))).toHaveLength(1)
  expect(timed(() => withHttpSecrets(settings, mergedHttpSecrets({}, secrets))).body).toEqual(body)
  // Otherwise it would be stored once for each value.
  expect(JSON.stringify(secrets).length).toBeLessThan(
    JSON.stringify(body).length + Object.keys(secrets.body ?? {}).length * 60,
  )
})

test('secrets stored by an earlier release under their paths are filled in, and kept when the call changes', () => {
  const body = { headers: [{ name: 'Authorization', value: secretMark }], deep: [{ password: secretMark }], a: 1 }
  const secrets = {
    body: {
      '["headers","0","Authorization","value"]': 's3cret-pair',
      '["deep","0","password"]': 's3cret-deep',
      '["gone","token"]': 's3cret-gone',
    },
  }
  const filled = {
    headers: [{ name: 'Authorization', value: 's3cret-pair' }],
    deep: [{ password: 's3cret-deep' }],
    a: 1,
  }
  expect(withHttpSecrets(aCall(body), secrets).body).toEqual(filled)
  // Releases that did not know pairs stored it under the keys alone.
  const plain = { body: { '["headers","0","value"]': 's3cret-pair', '["deep","0","password"]': 's3cret-deep' } }
  expect(withHttpSecrets(aCall(body), plain).body).toEqual(filled)
  for (const before of [secrets, plain]) {
    const merged = usedHttpSecrets(aCall(body), mergedHttpSecrets({}, before))
    expect(withHttpSecrets(aCall(body), merged).body).toEqual(filled)
    expect(Object.values(merged.body ?? {})).toEqual(['s3cret-pair', 's3cret-deep'])
  }
})

test('a new secret replaces the stored one, and secrets without a place are removed', () => {
  const kept = splitHttpSecrets(aCall({ token: 's3cret-1', old: { pin: 1234 }, same: { key: 's3cret-2' } })).secrets
  const { settings, secrets: given } = splitHttpSecrets(aCall({ token: 's3cret-new', same: { key: secretMark } }))
  const used = usedHttpSecrets(
    { ...settings, headers: { 'x-a': null, accept: '*/*' } },
    mergedHttpSecrets(given, { ...kept, headers: { 'x-a': 's3cret-3', 'x-b': 's3cret-4' } }),
  )
  expect(used.headers).toEqual({ 'x-a': 's3cret-3' })
  expect(Object.values(used.body ?? {})).toEqual(['s3cret-new', 's3cret-2'])
  expect(withHttpSecrets(settings, used).body).toEqual({ token: 's3cret-new', same: { key: 's3cret-2' } })
})
