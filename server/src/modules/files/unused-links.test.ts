import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { findUpload, settleOpenUploads } from '#files'

let portal: TestPortal
let member: Member

beforeAll(async () => {
  portal = await startPortal()
  member = await portal.member(await portal.account())
})
afterAll(() => portal.close())

const pathOf = (fileName: string): string => `/contact-service/v1/uploads/${encodeURIComponent(fileName)}`

const linkFor = async (fileName: string): Promise<string> =>
  (await member.get(pathOf(fileName))).json<{ url: string }>().url

const put = (url: string, payload = 'a,b\n1,2\n') =>
  portal.app.inject({ method: 'PUT', url, payload, headers: { 'content-type': 'text/csv' } })

describe('an upload', () => {
  test('is found among any number of unused links with a few questions to the storage, and none after its caller left', async () => {
    await put(await linkFor('crowd.csv'), 'complete')
    const { db, pool } = portal.parts.database
    await pool.query(
      `INSERT INTO portico.uploads (id, account_id, file_name, storage_key, creator, created_at)
       SELECT id, $1::integer, 'crowd.csv', $1::text || '/uploads/' || id, $2, now() FROM
         (SELECT gen_random_uuid() AS id FROM generate_series(1, 2000)) unused`,
      [member.account, member.email],
    )
    let asked = 0
    const storage = {
      ...portal.parts.storage,
      size: async (key: string) => {
        asked++
        return portal.parts.storage.size(key)
      },
    }
    const wanted = { fileName: 'crowd.csv', by: member.email }
    expect(await findUpload(db, storage, member.account, wanted)).toMatchObject({ sizeBytes: 8 })
    expect(asked).toBeLessThanOrEqual(200)
    asked = 0
    const signal = AbortSignal.abort(new Error('gone'))
    await expect(findUpload(db, storage, member.account, { ...wanted, signal })).rejects.toThrow('gone')
    expect(asked).toBe(0)
    await pool.query(`DELETE FROM portico.uploads WHERE file_name = 'crowd.csv'`)
  })

  test('is completed some hours later without a request for it, and unused links are forgotten', async () => {
    const uploader = await portal.member(await portal.account())
    const { db, pool } = portal.parts.database
    const links = ['late.csv', 'unused.csv', 'arriving.csv', 'fresh.csv']
    const urls = new Map<string, string>()
    for (const name of links) urls.set(name, (await uploader.get(pathOf(name))).json<{ url: string }>().url)
    await put(urls.get('late.csv')!)
    await pool.query(
      `UPDATE portico.uploads SET size_bytes = NULL, completed_at = NULL, created_at = created_at -
         CASE WHEN file_name = 'fresh.csv' THEN interval '2 hours' ELSE interval '7 hours' END WHERE account_id = $1`,
      [uploader.account],
    )
    await pool.query('DELETE FROM portico.pending_files WHERE account_id = $1', [uploader.account])
    await pool.query(
      `INSERT INTO portico.pending_files (storage_key, account_id, seen_at)
       SELECT storage_key, account_id, now() FROM portico.uploads WHERE account_id = $1 AND file_name = 'arriving.csv'`,
      [uploader.account],
    )
    await settleOpenUploads({ db, storage: portal.parts.storage }, uploader.account)
    await settleOpenUploads({ db, storage: portal.parts.storage }, uploader.account)
    const { rows } = await pool.query(
      `SELECT file_name, size_bytes::integer FROM portico.uploads WHERE account_id = $1 ORDER BY file_name`,
      [uploader.account],
    )
    expect(rows).toEqual([
      { file_name: 'arriving.csv', size_bytes: null },
      { file_name: 'fresh.csv', size_bytes: null },
      { file_name: 'late.csv', size_bytes: 8 },
    ])
  })
})
