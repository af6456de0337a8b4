import type { Page } from '@playwright/test'
import { expectAccessible } from '../accessibility.ts'
import { apiOf } from '../api.ts'
import { contacts, csvFile } from '../contact-file.ts'
import { holdContacts } from '../database.ts'
import { expect, makeAccount, makePerson, openScreen, signIn, test } from '../portal.ts'
import { detailsOf, dialogOf, rowOf, snackbar } from '../screens.ts'

const keys = { generatePURL: true, purlColumns: ['First Name', 'Last Name'], dedupColumns: ['Email'] }

test('an import that fails ends as rejected, with the reason', async ({ page }) => {
  const account = await makeAccount('Northern Lamps')
  const frida = await makePerson('Frida', { accounts: [account] })
  await signIn(page, frida)
  // The dialog would not send it.
  const api = await apiOf(frida, account)
  await api.submitImport('Doubtful leads', 'Email,City,email\na@example.com,Oslo,b@example.com\n')
  await openScreen(page, 'Imports')
  await expect(rowOf(page, 'Doubtful leads').getByText('rejected')).toBeVisible({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Expand Doubtful leads' }).click()
  await expect
    .poll(() => detailsOf(page))
    .toMatchObject({
      Created: '0',
      'Recovery Error': 'The header names "email" twice: columns 1 and 3.',
    })
  await openScreen(page, 'Search & Analyze')
  await expect(page.getByText('No contacts are available.')).toBeVisible()
})

test('an import can be cancelled while waiting and while running, after confirmation', async ({ page }) => {
  const account = await makeAccount('Open Fields')
  const person = await makePerson('Gustav', { accounts: [account] })
  const api = await apiOf(person, account)
  const { databaseName } = await api.importFile('First leads', csvFile(contacts(3)), keys)
  const release = await holdContacts(databaseName)
  await api.submitImport('Running leads', csvFile(contacts(20)), keys)
  await api.submitImport('Next in line', csvFile(contacts(20)), keys)
  await signIn(page, person)

  await expect(rowOf(page, 'Next in line').getByText('waiting').first()).toBeVisible()
  await askToCancel(page, 'Next in line')
  await page.getByRole('button', { name: 'No', exact: true }).click()
  await expect(page.getByRole('dialog')).toBeHidden()
  await expect(rowOf(page, 'Next in line').getByText('waiting').first()).toBeVisible()
  await askToCancel(page, 'Next in line')
  await confirmCancel(page, 'Next in line')
  await expectCancelled(page, 'Next in line')

  const running = rowOf(page, 'Running leads')
  await expect(running.getByText('processing').first()).toBeVisible()
  await expect(running.getByRole('progressbar', { name: 'Progress of Running leads' })).toHaveAttribute('aria-valuemax')
  await expect(running.getByText(/· \d+%$/)).toBeVisible()
  await askToCancel(page, 'Running leads')
  await confirmCancel(page, 'Running leads')
  await release()
  await expectCancelled(page, 'Running leads')
  await expect(running.getByRole('progressbar')).toHaveCount(0)
})

/** Opens the confirmation, which names the import. */
async function askToCancel(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${name}` }).click()
  await page.getByRole('menuitem', { name: 'Cancel import' }).click()
  const question = dialogOf(page, 'Cancel import')
  await expect(question.getByText(`Are you sure you want to cancel '${name}'?`)).toBeVisible()
  await expect(question.getByRole('button', { name: 'No', exact: true })).toBeFocused()
  await expectAccessible(page)
}

async function confirmCancel(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Yes, cancel it' }).click()
  await expect(snackbar(page, `'${name}' import was cancelled.`)).toBeVisible()
}

async function expectCancelled(page: Page, name: string): Promise<void> {
  await expect(rowOf(page, name).getByText('rejected')).toHaveCount(2, { timeout: 60_000 })
  await page.getByRole('button', { name: `Expand ${name}` }).click()
  await expect.poll(() => detailsOf(page)).toMatchObject({ 'Recovery Error': 'cancelled by the user' })
}
