import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { dialogOf, expectNoSideScroll, rowOf, snackbar } from '../screens.ts'

let account: Account
let sofia: Person

const file = 'Email,City\na@x,Chicago\nb@x,Chicago\nc@x,Boston\n'
const chicago = JSON.stringify([{ $match: { City: 'Chicago' } }])

test.beforeAll(async () => {
  account = await makeAccount('Segment Sailing')
  sofia = await makePerson('Sofia', { accounts: [account] })
  const api = await apiOf(sofia, account)
  await api.importFile('Sailors', file, { typeCasting: true })
  const { _id } = await api.post<{ _id: string }>('/contact-service/v1/rdls', {
    name: 'Lakes',
    aggregateQuery: chicago,
  })
  const named = JSON.stringify([{ $predefined: _id }])
  await api.post('/contact-service/v1/rdls', { name: 'All of the lakes', aggregateQuery: named })
})

test("a segment's page shows its people and uses, and restores an earlier version", async ({ page }) => {
  await signIn(page, sofia, undefined, '/contact-service/segments')
  await page.getByRole('link', { name: 'Lakes', exact: true }).press('Enter')
  await expect(page.getByRole('heading', { level: 1, name: 'Lakes' })).toBeVisible()
  const people = page.getByRole('region', { name: 'People' })
  await expect(people.getByRole('link', { name: 'a@x Chicago' })).toBeVisible()
  await expect(page.getByRole('link', { name: 'All of the lakes' })).toBeVisible()
  await expect(page.getByText('The first count comes tonight.')).toBeVisible()
  await expectAccessible(page)

  await page.getByRole('button', { name: 'Edit', exact: true }).press('Enter')
  const dialog = dialogOf(page, 'Edit the predefined filter')
  await dialog.getByRole('textbox', { name: 'Filter' }).fill(chicago.replace('Chicago', 'Boston'))
  await dialog.getByRole('button', { name: 'UPDATE' }).press('Enter')
  await expect(people.getByRole('link', { name: 'c@x Boston' })).toBeVisible()
  const versions = page.getByRole('region', { name: 'Versions' })
  await expect(versions.getByRole('listitem')).toHaveCount(2)
  await versions.getByRole('button', { name: 'Restore version 1' }).press('Enter')
  await expect(snackbar(page, 'Version 1 was restored.')).toBeVisible()
  await expect(versions.getByText('3: Lakes (current)')).toBeVisible()
  await expect(people.getByRole('link', { name: 'a@x Chicago' })).toBeVisible()

  await page.getByRole('combobox', { name: 'With another segment' }).click()
  await page.getByRole('option', { name: 'All of the lakes' }).click()
  await expect(page.getByText('2 people in either')).toBeVisible()
  await page.setViewportSize({ width: 390, height: 800 })
  await expectNoSideScroll(page)
})

test('segments are listed with their people, filter and uses, marked, searched for and deleted', async ({ page }) => {
  await signIn(page, sofia, undefined, '/contact-service/segments')
  const lakes = rowOf(page, 'Lakes')
  await expect(lakes).toContainText('Contacts whose City is “Chicago”.')
  await expect(lakes.getByRole('cell', { name: '2', exact: true })).toBeVisible()
  await expect(lakes).toContainText('1 segment')
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add Lakes to favourites' }).press('Enter')
  await expect(page.getByRole('button', { name: 'Remove Lakes from favourites' })).toBeVisible()
  await expect(page.getByRole('rowheader').first()).toHaveText('Lakes')
  await page.getByRole('textbox', { name: 'Search segments by name or creator' }).fill('all of')
  await expect(lakes).toBeHidden()
  await page.setViewportSize({ width: 390, height: 800 })
  await expectNoSideScroll(page)
  // The name stays in view while the other columns are scrolled.
  await page.getByRole('columnheader', { name: 'In Sub-Accounts' }).scrollIntoViewIfNeeded()
  await expect(page.getByRole('link', { name: 'All of the lakes', exact: true })).toBeInViewport({ ratio: 1 })
  await page.setViewportSize({ width: 1440, height: 900 })
  await page.getByRole('textbox', { name: 'Search segments by name or creator' }).fill('')

  await page.getByRole('button', { name: 'Delete Lakes' }).press('Enter')
  const dialog = dialogOf(page, 'Delete the predefined filter')
  await expect(dialog.getByText('It is used by 1 segment, which will stop working.')).toBeVisible()
  await expectAccessible(page)
  await dialog.getByRole('textbox', { name: 'Name' }).fill('Lakes')
  await dialog.getByRole('button', { name: 'DELETE' }).press('Enter')
  await expect(snackbar(page, "'Lakes' was deleted.")).toBeVisible()
  await expect(lakes).toBeHidden()
})
