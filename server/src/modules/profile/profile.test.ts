import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Profile } from '@portico/contract/own-account'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const put = (image: Uint8Array, who: { token: string } = member, headers: Record<string, string> = {}) =>
  portal.app.inject({
    method: 'PUT',
    url: '/api/identity/v1/profile/photo',
    headers: { authorization: `Bearer ${who.token}`, 'content-type': 'text/plain', ...headers },
    payload: Buffer.from(image),
  })

const show = (url: string | null) => portal.app.inject({ method: 'GET', url: url ?? '' })

/** Left half red, right half blue. */
const picture = (width: number, height: number) => {
  const half = { width: Math.ceil(width / 2), height, channels: 3, background: 'blue' } as const
  const blue = { input: { create: half }, top: 0, left: Math.floor(width / 2) }
  return sharp({ create: { width, height, channels: 3, background: 'red' } }).composite([blue])
}

/** Red, green and blue of one point. */
async function colorAt(image: Buffer, x: number, y: number): Promise<number[]> {
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true })
  const at = (y * info.width + x) * info.channels
  return [...data.subarray(at, at + 3)]
}

const auditOf = async (subject: string) => {
  const { rows } = await portal.parts.database.pool.query<{ action: string; account_id: number | null }>(
    'SELECT action, account_id FROM portico.audit_log WHERE subject = $1 ORDER BY id',
    [subject],
  )
  return rows
}

const photoFiles = async () => readdir(join(portal.config.dataDir, 'files', 'portal', 'photos')).catch(() => [])

describe('the profile', () => {
  test('returns the data of its owner', async () => {
    const reply = await member.get('/identity/v1/profile')
    expect(reply.status).toBe(200)
    expect(reply.body).toEqual({
      version: 1,
      email: member.email,
      userName: null,
      photoURL: null,
      passwordChangedAt: null,
      twoFactor: { isOn: false, since: null, recoveryCodesLeft: 0 },
    })
  })

  test('saves a name, shows it everywhere and keeps it out of other profiles', async () => {
    const other = await portal.member(member.account)
    const reply = await member.put('/identity/v1/profile', { userName: '  Ada Lovelace ' })
    expect(reply.json<Profile>().userName).toBe('Ada Lovelace')
    expect((await member.get('/identity/v1/user')).body).toMatchObject({ userName: 'Ada Lovelace' })
    expect((await other.get('/identity/v1/profile')).body).toMatchObject({ email: other.email, userName: null })
    expect(await auditOf(member.email)).toContainEqual({ action: 'profile changed', account_id: member.account })
    for (const userName of ['', null]) {
      expect((await member.put('/identity/v1/profile', { userName })).body).toMatchObject({ userName: null })
    }
  })

  test('refuses a name that is too long, and unknown fields', async () => {
    const long = await member.put('/identity/v1/profile', { userName: 'x'.repeat(101) })
    expect(long.body).toMatchObject({
      error: { details: [{ field: 'userName', message: 'Use at most 100 characters.' }] },
    })
    const unknown = await member.put('/identity/v1/profile', { userName: 'Ada', email: 'new@example.com' })
    expect(unknown.body).toMatchObject({
      error: { details: [{ field: 'email', message: 'This field is not known.' }] },
    })
  })
})

describe('a photo', () => {
  const formats = ['jpeg', 'png', 'webp'] as const

  test.each(formats)(
    'of the type %s is detected by its content, cropped to a square and encoded again',
    async (format) => {
      const reply = await put(await picture(640, 400).toFormat(format).toBuffer())
      expect(reply.statusCode).toBe(200)
      const { photoURL } = reply.json<Profile>()
      expect(photoURL).toMatch(/^\/api\/identity\/v1\/photos\/[0-9a-f-]{36}\.jpg$/)
      const shown = await show(photoURL)
      expect(shown.headers).toMatchObject({
        'content-type': 'image/jpeg',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      })
      const { format: sent, width, height } = await sharp(shown.rawPayload).metadata()
      expect([sent, width, height]).toEqual(['jpeg', 256, 256])
      // Of the middle 400 columns, each color fills half.
      expect((await colorAt(shown.rawPayload, 64, 128))[0]).toBeGreaterThan(200)
      expect((await colorAt(shown.rawPayload, 192, 128))[2]).toBeGreaterThan(200)
    },
  )

  test('appears in the user and the profile, and its file is deleted when it is replaced or removed', async () => {
    const first = (await put(await picture(10, 10).png().toBuffer())).json<Profile>().photoURL
    const second = (await put(await picture(10, 20).png().toBuffer())).json<Profile>().photoURL
    expect(second).not.toBe(first)
    expect((await show(first)).statusCode).toBe(404)
    expect((await member.get('/identity/v1/user')).body).toMatchObject({ photoURL: second })
    expect(await photoFiles()).toHaveLength(1)
    const removed = await member.delete('/identity/v1/profile/photo')
    expect(removed.json<Profile>().photoURL).toBeNull()
    expect((await show(second)).statusCode).toBe(404)
    expect(await photoFiles()).toEqual([])
    const actions = (await auditOf(member.email)).map(({ action }) => action)
    expect(actions).toContain('photo changed')
    expect(actions.at(-1)).toBe('photo removed')
  })

  test('contains no other data of the uploaded file', async () => {
    const jpeg = await picture(300, 300).jpeg().toBuffer()
    const secret = 'GPS 51.5007 N 0.1246 W'
    const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, secret.length + 2]), Buffer.from(secret)])
    const withComment = Buffer.concat([jpeg.subarray(0, 2), comment, jpeg.subarray(2)])
    const { photoURL } = (await put(withComment)).json<Profile>()
    expect((await show(photoURL)).rawPayload.includes('GPS')).toBe(false)
  })

  test('that is transparent gets a white background', async () => {
    const background = { r: 0, g: 0, b: 0, alpha: 0 }
    const clear = sharp({ create: { width: 50, height: 50, channels: 4, background } })
    const { photoURL } = (await put(await clear.png().toBuffer())).json<Profile>()
    const color = await colorAt((await show(photoURL)).rawPayload, 128, 128)
    expect(Math.min(...color)).toBeGreaterThan(0xfa)
  })

  test('that lies on its side is rotated upright', async () => {
    // Orientation 6: turned clockwise for display, so the left side is at the top.
    const turned = await picture(300, 300).withMetadata({ orientation: 6 }).jpeg().toBuffer()
    const photo = (await show((await put(turned)).json<Profile>().photoURL)).rawPayload
    expect((await colorAt(photo, 128, 64))[0]).toBeGreaterThan(200)
    expect((await colorAt(photo, 128, 192))[2]).toBeGreaterThan(200)
  })

  test('that is not an image is refused with the field and the accepted types', async () => {
    const png = await picture(20, 20).png().toBuffer()
    const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
    const damaged = [
      Buffer.from('\u0089PNG\r\n\u001a\n', 'latin1'),
      png.subarray(0, 40),
      Buffer.from('RIFF\0\0\0\0WEBP'),
    ]
    const others = [await picture(20, 20).tiff().toBuffer(), await picture(20, 20).gif().toBuffer(), Buffer.from('BM')]
    for (const image of [svg, Buffer.from('hello'), ...others, ...damaged]) {
      const reply = await put(image, member, { 'content-type': 'image/png' })
      expect(reply.statusCode).toBe(400)
      const { error } = reply.json<{ error: { details: { field: string; message: string }[] } }>()
      expect(error.details[0]?.field).toBe('body')
      expect(error.details[0]?.message).toMatch(/^Value is invalid! Choose a JPEG, PNG or WebP image/)
    }
    expect((await put(Buffer.alloc(0))).statusCode).toBe(400)
  })

  test('with too many pixels or bytes is refused', async () => {
    const reply = await put(await picture(5200, 5000).png().toBuffer())
    expect(reply.statusCode).toBe(400)
    expect(reply.json()).toMatchObject({ error: { details: [{ message: expect.stringContaining('25 megapixels') }] } })
    const large = await put(Buffer.alloc(5 * 1024 * 1024 + 1))
    expect(large.statusCode).toBe(413)
    expect(large.json()).toMatchObject({ error: { code: 'too_large' } })
  })

  test('is changed once at a time per person, without affecting others', async () => {
    const image = await picture(2000, 2000).png().toBuffer()
    const [neighbour, stranger] = [await portal.member(member.account), await portal.member(await portal.account())]
    const people = [member, member, neighbour, stranger]
    const [first, second, ...others] = await Promise.all(people.map((who) => put(image, who)))
    const replies = [first, second].sort((a, b) => (a?.statusCode ?? 0) - (b?.statusCode ?? 0))
    expect(replies.map((reply) => reply?.statusCode)).toEqual([200, 429])
    expect(replies[1]?.headers).toMatchObject({ 'retry-after': '5' })
    expect(replies[1]?.json()).toEqual({
      error: {
        code: 'too_many_requests',
        message: 'Your previous photo is still being processed. Try again in a moment.',
      },
    })
    expect(others.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect((await put(image)).statusCode).toBe(200)
    expect((await put(Buffer.from('hello'))).statusCode).toBe(400)
    expect((await put(image)).statusCode).toBe(200)
  })

  test('can be changed only by its owner in a session', async () => {
    const image = await picture(20, 20).png().toBuffer()
    expect((await put(image, { token: 'none' })).statusCode).toBe(401)
    const other = await portal.member(member.account)
    const before = (await member.get('/identity/v1/profile')).body
    await put(image, other)
    expect((await member.get('/identity/v1/profile')).body).toEqual(before)
    expect((await put(image, { token: await portal.signIn(other.email) })).statusCode).toBe(200)
  })

  test('that does not exist is not found, nor is any other file', async () => {
    for (const name of [`${crypto.randomUUID()}.jpg`, 'x.jpg', '..%2f..%2fsecret-key', '%2e%2e']) {
      expect((await show(`/api/identity/v1/photos/${name}`)).statusCode).toBe(404)
    }
  })
})
