import type { AccountId } from '@portico/contract/accounts'
import type { Stages } from '@portico/contract/filter'
import { selectSomePurl } from '#contacts'
import type { Config } from '#platform/config.ts'
import type { Db } from '#platform/database.ts'
import { readSender } from './caller-origin.ts'
import { planAccesses } from './door/door-plan.service.ts'
import { judgeCall } from './door/judge-call.ts'
import { selectAccesses } from './remote-accesses.queries.ts'

/**
 * The page of the sample site for a contact of the account; null if no access lets the site in or no contact has a
 * PURL.
 */
export async function findSamplePage(
  db: Db,
  account: AccountId,
  { publicUrl, sampleSitePort }: Pick<Config, 'publicUrl' | 'sampleSitePort'>,
  rows: Stages | null,
): Promise<{ url: string | null }> {
  // The page shows an arbitrary contact, which may be one that the caller cannot see.
  if (sampleSitePort === null || rows !== null) return { url: null }
  const site = `http://${new URL(publicUrl).hostname}:${sampleSitePort}`
  const accesses = await planAccesses(db, account, await selectAccesses(db, account))
  const { access } = judgeCall(accesses, readSender({ origin: site }, ''), ['purl'], Date.now())
  const purl = access && (await selectSomePurl(db, account))
  return { url: purl === null ? null : `${site}/${account}/${encodeURIComponent(purl)}` }
}
