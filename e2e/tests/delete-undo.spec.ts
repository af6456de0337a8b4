import type { Page } from '@playwright/test'
import { expectAccessible, expectAccessibleInBothSchemes } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { expect, makeAccount, makePerson, openScreen, signIn, test } from '../portal.ts'
import { detailsOf, dialogOf, expectNoSideScroll, rowOf, snackbar } from '../screens.ts'

const keys = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }

async function deleteAll(page: Page, count: number): Promise<void> {
  await openScreen(page, 'Search & Analyze')
  await page.getByRole('button', { name: 'Delete Results' }).click()
  const dialog = dialogOf(page, 'Delete Results')
  await dialog.getByRole('textbox', { name: `To delete ${count} records` }).fill(String(count))
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(snackbar(page, `${count} records were deleted. This can be undone for 30 days.`)).toBeVisible()
}

const openDeletes = (page: Page): Promise<void> =>
  page.getByRole('navigation', { name: 'List Service' }).getByRole('link', { name: 'Deletes' }).click()

async function choose(page: Page, id: string, item: string) {
  await page.getByRole('button', { name: `Actions for delete ${id}` }).click()
  await page.getByRole('menuitem', { name: item }).click()
  return dialogOf(page, item)
}

test('a bulk delete is undone, and another is erased for good after typing the number', async ({ page }) => {
  const account = await makeAccount('Second Thoughts')
  const person = await makePerson('Wilma', { accounts: [account] })
  const api = await apiOf(person, account)
  await api.importFile('All the people', csvFile(contacts(5)), keys)
  await signIn(page, person)
  await deleteAll(page, 5)

  await openDeletes(page)
  await expect(rowOf(page, '1').getByText(/^until \d/)).toBeVisible()
  const question = await choose(page, '1', 'Undo delete')
  await expect(question.getByText(/5 contacts will return/)).toBeVisible()
  await expect(question.getByRole('button', { name: 'No', exact: true })).toBeFocused()
  await expectAccessible(page)
  await question.getByRole('button', { name: 'Yes, undo it' }).click()
  await expect(snackbar(page, 'Delete 1 is being undone.')).toBeVisible()
  await expect(rowOf(page, '1').getByText('undone', { exact: true })).toBeVisible({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Expand delete 1' }).click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ 'Contacts Returned': '5', 'Contacts Missing': '0' })
  await openScreen(page, 'Search & Analyze')
  await expect(page.getByText('5 contacts', { exact: true })).toBeVisible()

  await deleteAll(page, 5)
  await openDeletes(page)
  const erasing = await choose(page, '2', 'Delete for good')
  const submit = erasing.getByRole('button', { name: 'Delete for good' })
  await expect(submit).toBeDisabled()
  await erasing.getByRole('textbox', { name: 'Number of contacts' }).fill('5')
  await expectAccessible(page)
  await submit.click()
  await expect(snackbar(page, '5 contacts were deleted for good.')).toBeVisible()
  await expect(page.getByRole('button', { name: 'Actions for delete 2' })).toBeHidden()
})

test.describe('narrow', () => {
  test.use({ viewport: { width: 390, height: 844 } })

  test('the history with its actions and dialogs fits a phone, light and dark', async ({ page }) => {
    const account = await makeAccount('Small Regrets')
    const person = await makePerson('Vito', { accounts: [account] })
    const api = await apiOf(person, account)
    await api.importFile('A few people', csvFile(contacts(3)), keys)
    await api.remove('/contact-service/v1/offers', { filter: [], deletedRecords: 3 })
    await signIn(page, person, undefined, '/contact-service/deletes')
    await expect(page.getByRole('button', { name: 'Actions for delete 1' })).toBeVisible()
    await expectNoSideScroll(page)
    await expectAccessibleInBothSchemes(page)
    for (const item of ['Undo delete', 'Delete for good']) {
      const dialog = await choose(page, '1', item)
      await expectNoSideScroll(page)
      await expectAccessibleInBothSchemes(page)
      await dialog.getByRole('button', { name: /^(No|Cancel)$/ }).click()
      await expect(dialog).toBeHidden()
    }
  })
})
