import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { screen, waitFor, within } from '@testing-library/react'
import { useState } from 'react'
import { beforeEach, expect, test } from 'vitest'
import { ApiError, isApiError } from '#lib/api/api-error.ts'
import { renderApp } from '#test/render.tsx'
import { beSignedIn } from '#test/server.ts'
import { DialogForm, FormDialog } from '#ui/dialog/form-dialog.tsx'
import { editedForm } from './edited-form.ts'
import { OpenedItem } from './opened-item.tsx'
import { SavedMeanwhile } from './saved-meanwhile.tsx'
import { useEditing } from './use-editing.ts'

type Values = { name: string; city: string; note: string }
type Item = Values & { version: number; hidden: string }

/** The server: one item, and its saves. */
const server = { item: {} as Item, saves: [] as { version: number; savedBy: string; fields: string[] }[] }

function saveAs(savedBy: string, change: Partial<Item>): void {
  const version = server.item.version + 1
  server.item = { ...server.item, ...change, version }
  server.saves = [{ version, savedBy, fields: Object.keys(change) }, ...server.saves]
}

const put = (values: Values, version: number): Promise<Item> => {
  if (version !== server.item.version) {
    const savedAt = '2026-11-25T10:00:00.000Z'
    const changes = server.saves.filter((save) => save.version > version).map((save) => ({ ...save, savedAt }))
    return Promise.reject(new ApiError('newer_version', 'Saved.', { changes }))
  }
  saveAs('mara.klein@example.com', values)
  return Promise.resolve(server.item)
}

const read = (): Promise<Item> => Promise.resolve(server.item)
const valuesOf = ({ name, city, note }: Item): Values => ({ name, city, note })

function ItemForm({ item, onClose }: { item: Item; onClose: () => void }) {
  const form = useForm<Values>({ initialValues: valuesOf(item) })
  const editing = useEditing({ item, read, valuesOf, form: editedForm(form) })
  const [problem, setProblem] = useState('')
  const submit = (): void =>
    void editing
      .save((over) => put(form.values, over?.version ?? 0))
      .then(onClose, (error: unknown) => {
        if (!isApiError(error, 'newer_version')) setProblem(String(error))
      })
  return (
    <FormDialog title="Edit" width={400} guard={{ isDirty: form.isDirty(), isBusy: false }} onClose={onClose}>
      <DialogForm onSubmit={submit} footer={<button type="submit">Save</button>}>
        <SavedMeanwhile
          editing={editing}
          labels={{ name: 'Name', city: 'City', note: 'Note', hidden: 'Other settings' }}
          isBusy={false}
          onOverwrite={submit}
        />
        <TextInput label="Name" data-autofocus {...form.getInputProps('name')} />
        <TextInput label="City" {...form.getInputProps('city')} />
        <TextInput label="Note" {...form.getInputProps('note')} />
        <p>{form.isDirty() ? 'changed' : 'unchanged'}</p>
        <p>{problem}</p>
      </DialogForm>
    </FormDialog>
  )
}

function Page() {
  const [isOpen, setOpen] = useState(false)
  const close = (): void => setOpen(false)
  return (
    <>
      <button type="button" onClick={() => setOpen(true)}>
        Open
      </button>
      {isOpen && (
        <OpenedItem title="Edit" width={400} read={read} onClose={close}>
          {(item) => <ItemForm item={item} onClose={close} />}
        </OpenedItem>
      )}
    </>
  )
}

beforeEach(() => {
  beSignedIn()
  server.item = { name: 'First', city: 'Bern', note: '', hidden: 'a', version: 1 }
  server.saves = []
})

const field = (name: string): HTMLElement => screen.getByRole('textbox', { name })

async function openForm() {
  const { user } = renderApp(<Page />)
  await user.click(screen.getByRole('button', { name: 'Open' }))
  expect(await screen.findByRole('textbox', { name: 'Name' })).toBeVisible()
  const save = (): Promise<void> => user.click(screen.getByRole('button', { name: 'Save' }))
  const type = async (name: string, text: string): Promise<void> => {
    await user.clear(field(name))
    await user.type(field(name), text)
  }
  return { user, save, type }
}

test('a form opens with the latest saved values and focuses its first field; closing it returns the focus', async () => {
  const { user, save } = await openForm()
  await waitFor(() => expect(field('Name')).toHaveFocus())
  await save()
  const opener = screen.getByRole('button', { name: 'Open' })
  await waitFor(() => expect(opener).toHaveFocus())
  saveAs('ben@example.com', { name: 'Second' })
  await user.click(opener)
  expect(await screen.findByRole('textbox', { name: 'Name' })).toHaveValue('Second')
})

test('a failed read shows the reason and can be retried', async () => {
  let isAway = true
  const readOrFail = (): Promise<Item> => (isAway ? Promise.reject(new ApiError('not_found', 'It is gone.')) : read())
  const { user } = renderApp(
    <OpenedItem title="Edit" width={400} read={readOrFail} onClose={() => {}}>
      {({ name }) => <p>{`the form of ${name}`}</p>}
    </OpenedItem>,
  )
  expect(await screen.findByText('It is gone.')).toBeVisible()
  isAway = false
  await user.click(screen.getByRole('button', { name: 'Try again' }))
  expect(await screen.findByText('the form of First')).toBeVisible()
})

test('saving over a newer version shows who saved what and when, compares the values and saves nothing', async () => {
  const { user, save, type } = await openForm()
  await type('Note', 'mine')
  saveAs('ben@example.com', { name: 'Of Ben', city: 'Basel' })
  await type('Name', 'Of mine')
  await save()
  const note = await screen.findByRole('alert')
  expect(note).toHaveTextContent('ben@example.com saved this while you were editing.')
  expect(note).toHaveTextContent(/11\/25\/2026 .*, ben@example\.com: Name, City/)
  expect(note).toHaveFocus()
  expect(server.item).toMatchObject({ name: 'Of Ben', note: '' })
  await user.click(within(note).getByRole('button', { name: 'Compare' }))
  const rows = within(note).getAllByRole('row')
  expect(rows.map(({ textContent }) => textContent)).toEqual(['FieldSavedYours', 'NameOf BenOf mine', 'CityBaselBern'])
  expect([field('Name'), field('Note')].map((input) => (input as HTMLInputElement).value)).toEqual(['Of mine', 'mine'])
})

test('using the saved values keeps input in other fields, and the replaced input can be restored', async () => {
  const { user, save, type } = await openForm()
  await type('Note', 'mine')
  await type('Name', 'Of mine')
  saveAs('ben@example.com', { name: 'Of Ben', city: 'Basel' })
  await save()
  await user.click(await screen.findByRole('button', { name: 'Use the saved values' }))
  const note = screen.getByRole('status')
  expect(note).toHaveFocus()
  expect(field('Name')).toHaveValue('Of Ben')
  expect(field('City')).toHaveValue('Basel')
  expect(field('Note')).toHaveValue('mine')
  expect(note).toHaveTextContent('Name: Of mine')
  await user.click(within(note).getByRole('button', { name: 'Put back Name' }))
  expect(field('Name')).toHaveValue('Of mine')
  expect(screen.getByText('changed')).toBeVisible()
  await save()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(server.item).toMatchObject({ name: 'Of mine', city: 'Basel', note: 'mine', version: 3 })
})

test('using the saved values without changes here leaves no unsaved changes', async () => {
  const { user, save } = await openForm()
  saveAs('ben@example.com', { city: 'Basel' })
  await save()
  await user.click(await screen.findByRole('button', { name: 'Use the saved values' }))
  expect(screen.getByText('unchanged')).toBeVisible()
  expect(screen.getByRole('status')).toHaveTextContent('The form now shows the saved values.')
})

test('overwriting the saved values needs confirmation, and never replaces a version that was not shown', async () => {
  const { user, save, type } = await openForm()
  await type('Name', 'Of mine')
  saveAs('ben@example.com', { name: 'Of Ben' })
  await save()
  await screen.findByRole('button', { name: 'Save mine instead' })
  saveAs('eve@example.com', { city: 'Chur' })
  await user.click(screen.getByRole('button', { name: 'Save mine instead' }))
  expect(await screen.findByText('This was saved while you were editing.')).toBeVisible()
  expect(screen.getAllByRole('listitem').map(({ textContent }) => textContent)).toEqual([
    expect.stringMatching(/eve@example.com: City$/),
    expect.stringMatching(/ben@example.com: Name$/),
  ])
  expect(server.item).toMatchObject({ name: 'Of Ben', city: 'Chur' })
  await user.click(screen.getByRole('button', { name: 'Save mine instead' }))
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(server.item).toMatchObject({ name: 'Of mine', city: 'Bern' })
})

test('there is no conflict over values that the form does not show or that both set equally', async () => {
  const { save, type } = await openForm()
  await type('Name', 'Same')
  saveAs('ben@example.com', { hidden: 'b', name: 'Same' })
  await save()
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(server.item).toMatchObject({ name: 'Same', hidden: 'b', version: 3 })
})

test('a save by the same person in another window is named as such', async () => {
  const { save } = await openForm()
  saveAs('mara.klein@example.com', { city: 'Basel' })
  await save()
  expect(await screen.findByText('You saved this in another window while you were editing here.')).toBeVisible()
})
