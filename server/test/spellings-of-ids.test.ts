import { afterAll, beforeAll, expect, test } from 'vitest'
import { addCron, runsOf } from '#test/resources/crons.ts'
import { createDashboard, dashboardsPath } from '#test/resources/dashboards.ts'
import { createExport, endedExport, exportDraft, exportsPath } from '#test/resources/exports.ts'
import { contactsOf, importFile } from '#test/resources/imports.ts'
import { type Member, startPortal, type TestPortal } from '#test/kit/portal.ts'
import { accessPath, addAccess } from '#test/resources/remote-accesses.ts'

// A condition on an id compares text. A route that accepted another spelling of the id would bypass the condition.

let portal: TestPortal
let owner: Member
const contacts = '/contact-service/v1'

beforeAll(async () => {
  portal = await startPortal()
  await portal.startWorker()
  owner = await portal.member(await portal.account())
})
afterAll(() => portal.close())

/** Returns reading calls of existing items, each with its id. */
async function makeCalls(): Promise<[path: string, id: string][]> {
  const imported = await importFile(portal, owner, 'First Name,City,Email\nAda,London,a@x\n')
  const [contact] = await contactsOf(owner)
  const { _id: made } = await createExport(owner, exportDraft(['City']))
  await endedExport(owner, made)
  const [file] = (await owner.get(`${contacts}/downloads`)).json<{ _id: string }[]>()
  const cron = await addCron(owner)
  const [run] = await runsOf(owner, cron._id)
  const dashboard = await createDashboard(owner)
  const access = await addAccess(owner)
  const draft = { name: 'Saved', aggregateQuery: JSON.stringify([{ $match: { City: 'London' } }]) }
  const filter = (await owner.post(`${contacts}/rdls`, draft)).json<{ _id: string }>()
  return [
    [`${contacts}/offers/ID`, contact?._id ?? ''],
    [`${contacts}/imports/ID`, imported._id],
    [`${exportsPath}/ID`, made],
    [`${contacts}/downloads/ID.csv`, made],
    [`${contacts}/downloads/files/export-ID`, file?._id.replace('export-', '') ?? ''],
    [`${accessPath}/ID`, access._id],
    [`/scheduler/v1/crons/ID`, cron._id],
    [`/scheduler/v1/schedules/ID`, run?._id ?? ''],
    [`${dashboardsPath}/ID`, dashboard._id],
    [`${contacts}/rdls/ID`, filter._id],
    [`${contacts}/segments/ID`, filter._id],
  ]
}

/** Returns other texts that JavaScript or PostgreSQL reads as the same number or UUID. */
function spellingsOf(id: string): string[] {
  const blanks = [`%20${id}`, `${id}%20`, `${id}%00`]
  if (!id.includes('-')) return [...blanks, `0${id}`, `+${id}`, `%2B${id}`, `${id}.0`, `0x${Number(id).toString(16)}`]
  return [...blanks, id.toUpperCase(), `{${id}}`, id.replaceAll('-', '')]
}

test('an id is found only in the spelling that the portal uses', async () => {
  for (const [path, id] of await makeCalls()) {
    expect({ path, status: (await owner.get(path.replace('ID', id))).status }).toEqual({ path, status: 200 })
    for (const spelling of spellingsOf(id)) {
      const address = path.replace('ID', spelling)
      const { status } = await owner.get(address)
      expect({ address, isFound: status < 400 }).toEqual({ address, isFound: false })
    }
  }
})
