import { readFile } from 'node:fs/promises'
import { expectAccessible } from '../accessibility.ts'
import { apiOf, type Client } from '../api.ts'
import { cellOf, colors, makeDashboard, members } from '../dashboards.ts'
import { expectPresentable } from '../iam-area.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { choose, dialogOf, snackbar } from '../screens.ts'

let account: Account
let nora: Person
let api: Client

test.beforeAll(async () => {
  account = await makeAccount('Cedar Falls')
  nora = await makePerson('Nora', { accounts: [account] })
  api = await apiOf(nora, account)
  await api.importFile('Members', members, { typeCasting: true })
})

const byDay = {
  standard: [
    { $group: { _id: { Day: { $dateTrunc: { date: '$Joined', unit: 'day' } } }, n: { $count: {} } } },
    { $sort: { Day: 1 } },
  ],
}

test('a line of days is added up by clicks, is saved, and is in its table and file', async ({ page }) => {
  const chart = { type: 'Line', title: 'Joined', filter: byDay, options: { colors } }
  const { _id: id } = await makeDashboard(api, account, 'Displays', [[{ id: 'only', cols: 12, chart }]])
  await signIn(page, nora, undefined, `/contact-service/dashboards?dashboard=${id}`)
  await page.getByRole('switch', { name: 'Edit' }).press('Space')
  await page.getByRole('button', { name: 'Configure Joined' }).click()
  const configuration = dialogOf(page, 'Chart Configuration')
  await configuration.getByRole('button', { name: 'Edit formats' }).click()
  const formats = dialogOf(page, 'Formats')
  await choose(page, formats.getByRole('combobox', { name: 'n over time' }), 'Moving average')
  await formats.getByRole('textbox', { name: 'Points of n' }).fill('2')
  await expect(formats.locator('svg').getByText('n (moving average of 2)')).toBeVisible()
  await choose(page, formats.getByRole('combobox', { name: 'n over time' }), 'Cumulative')
  await expect(formats.locator('svg').getByText('n (cumulative)')).toBeVisible()
  await expectPresentable(page)
  await formats.getByRole('button', { name: 'Save' }).click()
  await configuration.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('button', { name: 'Save changes' }).click()
  await dialogOf(page, 'Update Dashboard').getByRole('button', { name: 'Save' }).click()
  await expect(snackbar(page, "'Displays' was successfully saved.")).toBeVisible()
  await page.reload()
  const cell = cellOf(page, 'Joined')
  await expect(cell.locator('svg').getByText('n (cumulative)')).toBeVisible()
  await expectAccessible(page)
  await cell.getByRole('button', { name: 'Show as table' }).click()
  await expect(cell.getByRole('row', { name: 'Feb 3, 2026 1 4' })).toBeVisible()
  await cell.getByRole('button', { name: 'Menu of Joined' }).click()
  const saving = page.waitForEvent('download')
  await page.getByRole('menuitem', { name: 'Save as CSV' }).click()
  expect(await readFile(await (await saving).path(), 'utf8')).toBe(
    ['Day,n,n (cumulative)', '2026-01-31,1,1', '2026-02-01,1,2', '2026-02-02,1,3', '2026-02-03,1,4', ''].join('\r\n'),
  )
})
