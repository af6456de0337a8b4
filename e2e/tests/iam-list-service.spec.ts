import { contacts, csvFile } from '../contact-file.ts'
import { expectPresentable, openIamScreen } from '../iam-area.ts'
import { expect, makeAccount, makePerson, type Person, signIn, test } from '../portal.ts'
import { chooseFile, detailsOf, dialogOf, openNewImport, openStep, rowOf } from '../screens.ts'

let lena: Person

test.beforeAll(async () => {
  lena = await makePerson('Lena', { accounts: [await makeAccount('Mill Museum')] })
})

test('the first import starts with the import defaults of the account', async ({ page }) => {
  await signIn(page, lena, undefined, '/iam/home')
  await openIamScreen(page, 'List Service Configuration', 'List Service Configuration')
  const add = async (noun: string, position: number, text: string): Promise<void> => {
    await page.getByRole('button', { name: `Add ${noun}` }).click()
    const entry = page.getByRole(noun === 'e-mail' ? 'textbox' : 'combobox', { name: `${noun} ${position}` })
    await expect(entry).toBeFocused()
    await expect(entry).toHaveAccessibleDescription('Value is required!')
    await entry.fill(text)
  }
  await add('PURL column', 1, 'First Name')
  await add('PURL column', 2, 'first name')
  const second = page.getByRole('combobox', { name: 'PURL column 2' })
  await expect(second).toHaveAccessibleDescription('Value is duplicate!')
  await second.fill('basePurl')
  await expect(second).toHaveAccessibleDescription('Value is not allowed!')
  await second.fill('Last Name')
  await add('PURL column', 3, 'City')
  await expect(page.getByRole('button', { name: 'Add PURL column' })).toBeDisabled()
  await page.getByRole('button', { name: 'Delete PURL column 3' }).click()
  await expect(dialogOf(page, 'Delete PURL column')).toContainText('Are you sure?')
  await dialogOf(page, 'Delete PURL column').getByRole('button', { name: 'Yes, delete it' }).click()
  await add('dedup column', 1, 'Email')
  await add('e-mail', 1, 'lena')
  await expect(page.getByRole('textbox', { name: 'e-mail 1' })).toHaveAccessibleDescription('Value is invalid!')
  await expect(page.getByRole('button', { name: 'Save' })).toBeDisabled()
  await expectPresentable(page)
  await page.getByRole('textbox', { name: 'e-mail 1' }).fill(lena.email)
  await page.getByRole('button', { name: 'Save' }).click()
  await expect(page.getByText('The configuration was updated.')).toBeVisible()

  await page.goto('/contact-service/imports')
  const dialog = await openNewImport(page)
  await chooseFile(page, dialog, 'leads.csv', csvFile(contacts(3)))
  await dialog.getByRole('textbox', { name: 'Import Name' }).fill('First leads')
  await openStep(dialog, 'Options')
  await dialog.getByRole('tab', { name: 'Notification Emails' }).click()
  await expect(dialog.getByText(lena.email)).toBeVisible()
  await dialog.getByRole('button', { name: 'Submit' }).click()
  await expect(rowOf(page, 'First leads').getByText('completed').first()).toBeVisible({ timeout: 60_000 })
  await page.getByRole('button', { name: 'Expand First leads' }).click()
  await expect
    .poll(() => detailsOf(page))
    .toMatchObject({
      'PURL Columns': 'First Name, Last Name',
      'Dedup Columns': 'Email',
      'Notification Emails': lena.email,
    })
})
