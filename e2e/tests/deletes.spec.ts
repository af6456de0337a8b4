import type { Page } from '@playwright/test'
import { expectAccessible } from '../accessibility.ts'
import { apiOf, type Client } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { type Account, expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { dialogOf, expectNoSideScroll, snackbar } from '../screens.ts'

const people = contacts(60)

let account: Account
let greta: Person
let api: Client

// One history: each test continues from the one before.
test.describe.configure({ mode: 'serial' })

test.beforeAll(async () => {
  account = await makeAccount('Amber Cinema')
  greta = await makePerson('Greta', { accounts: [account] })
  api = await apiOf(greta, account)
  await api.importFile('Spring leads', csvFile(people))
})

const searchOf = (city: string): string =>
  `/contact-service/documents?filter=${encodeURIComponent(JSON.stringify([{ $match: { $and: [{ City: city }] } }]))}`
const countOf = (city: string): number => people.filter(({ City }) => City === city).length

async function openDelete(page: Page, count: number) {
  await page.getByRole('button', { name: 'Delete Results' }).click()
  const dialog = dialogOf(page, 'Delete Results')
  const box = dialog.getByRole('textbox', { name: `To delete ${count} records, type ${count} in the following box` })
  await expect(box).toBeFocused()
  return { dialog, box, submit: dialog.getByRole('button', { name: 'Submit' }) }
}

test('an account without deletes shows a message', async ({ page }) => {
  await signIn(page, greta, undefined, '/contact-service/deletes')
  await expect(page.getByText('No deletes are available.')).toBeVisible()
  await expectAccessible(page)
})

test('typing the number deletes the results, and the history shows the delete', async ({ page }) => {
  const count = countOf('Kyoto')
  await signIn(page, greta, undefined, searchOf('Kyoto'))
  await expect(page.getByText(`${count} contacts found`)).toBeVisible()
  const { dialog, box, submit } = await openDelete(page, count)
  await expect(submit).toBeDisabled()
  await box.fill(String(count + 1))
  await expect(submit).toBeDisabled()
  await box.fill(String(count))
  await submit.click()
  await expect(snackbar(page, `${count} records were deleted. This can be undone for 30 days.`)).toBeVisible()
  await expect(dialog).toBeHidden()
  await expect(page.getByText('No matching contacts found.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Delete Results' })).toBeHidden()
  await page.getByRole('button', { name: 'Show all contacts' }).first().click()
  await expect(page.getByText(`${people.length - count} contacts`, { exact: true })).toBeVisible()

  await page.getByRole('navigation', { name: 'List Service' }).getByRole('link', { name: 'Deletes' }).click()
  const row = page.getByRole('row', { name: /Contacts whose City is “Kyoto”\./ })
  await expect(row.getByRole('cell')).toHaveText([
    '',
    'Contacts whose City is “Kyoto”.',
    String(count),
    greta.email,
    /^\d+\/\d+\/\d{4} \d+:\d\d:\d\d [AP]M$/,
    'completed',
    /^until \d+\/\d+\/\d{4}/,
    '',
  ])
})

test('if the matching contacts have changed, nothing is deleted and the new number must be typed', async ({
  page,
  trouble,
}) => {
  trouble.expect('409 DELETE /api/contact-service/v1/offers')
  const count = countOf('Lisbon')
  await signIn(page, greta, undefined, searchOf('Lisbon'))
  const { dialog, box, submit } = await openDelete(page, count)
  await api.importFile('Late leads', csvFile(contacts(1)))
  await box.fill(String(count))
  await submit.click()
  await expect(dialog.getByText(`${count + 1} contacts match now, not ${count}. Nothing was deleted.`)).toBeVisible()
  await dialog.getByRole('textbox', { name: `To delete ${count + 1} records` }).fill(String(count + 1))
  await submit.click()
  await expect(snackbar(page, `${count + 1} records were deleted. This can be undone for 30 days.`)).toBeVisible()
})

test('the history is filtered by status, kept in the address, and links back to the search', async ({ page }) => {
  await signIn(page, greta, undefined, '/contact-service/deletes')
  await expect(page.getByText('2 deletes', { exact: true })).toBeVisible()
  await expect(page.getByRole('combobox', { name: 'Status' })).toBeHidden()
  await page.getByRole('button', { name: 'FILTERS' }).click()
  await page.getByRole('combobox', { name: 'Status' }).click()
  await expect(page.getByRole('option')).toHaveText(['processing', 'completed', 'rejected'])
  await page.getByRole('option', { name: 'processing' }).click()
  await expect(page.getByText('No matching deletes found.')).toBeVisible()
  await page.reload()
  await expect(page.getByText('No matching deletes found.')).toBeVisible()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Clear filters' }).first().click()
  await page.getByRole('button', { name: 'Expand delete 1' }).click()
  await page.getByRole('link', { name: 'Search with this filter' }).click()
  await expect(page.getByText('Contacts whose City is “Kyoto”.').first()).toBeVisible()
})

test.describe('dark and narrow', () => {
  test.use({ colorScheme: 'dark', viewport: { width: 390, height: 844 } })

  test('the history fits the screen and is accessible', async ({ page }) => {
    await signIn(page, greta, undefined, '/contact-service/deletes')
    await page.getByRole('button', { name: 'Expand delete 1' }).click()
    await expect(page.getByRole('link', { name: 'Search with this filter' })).toBeVisible()
    await expectNoSideScroll(page)
    await expectAccessible(page)
  })
})
