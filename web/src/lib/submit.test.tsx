import { errors } from '@portico/contract/errors'
import { TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { useMutation } from '@tanstack/react-query'
import { screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { ApiError, messageOf } from './api/api-error.ts'
import { useSubmit } from './submit.ts'

type Options = Parameters<typeof useSubmit<{ name: string; emails: string }, string, string>>[2]

function Form({ send, options }: { send: (name: string) => Promise<string>; options: Options }) {
  const form = useForm({ initialValues: { name: 'Spring', emails: '' } })
  const { submit, problem, isBusy } = useSubmit(form, useMutation({ mutationFn: send }), options)
  return (
    <form onSubmit={form.onSubmit(({ name }) => submit(name))}>
      <TextInput label="Name" {...form.getInputProps('name')} />
      <TextInput label="Emails" {...form.getInputProps('emails')} />
      <output>{problem}</output>
      <button type="submit" disabled={isBusy}>
        Save
      </button>
    </form>
  )
}

/** Submits a form whose save fails or succeeds. */
async function submit(send: () => Promise<string>, given: Partial<Options> = {}) {
  const done = vi.fn<(reply: string) => void>()
  const options: Options = { nameField: 'name', ...given, done }
  const { user } = renderApp(<Form send={send} options={options} />)
  const press = (): Promise<void> => user.click(screen.getByRole('button', { name: 'Save' }))
  await press()
  await vi.waitFor(() => expect(screen.getByRole('button')).toBeEnabled())
  return {
    press,
    done,
    name: screen.getByRole('textbox', { name: 'Name' }),
    emails: screen.getByRole('textbox', { name: 'Emails' }),
    problem: screen.getByRole('status'),
  }
}

const refuse =
  (...error: ConstructorParameters<typeof ApiError>) =>
  (): Promise<string> =>
    Promise.reject(new ApiError(...error))

test('a successful save passes the reply on', async () => {
  const { done, problem } = await submit(() => Promise.resolve('saved'))
  expect(done.mock.calls).toEqual([['saved']])
  expect(problem).toBeEmptyDOMElement()
})

test('a taken name is reported at the name, regardless of the message', async () => {
  const { name, problem, done } = await submit(refuse('name_taken', 'Another one is called Spring.'))
  expect(name).toHaveAccessibleDescription('Value is duplicate!')
  expect(problem).toBeEmptyDOMElement()
  expect(done).not.toHaveBeenCalled()
})

test('a form can show the message of the server at a taken name', async () => {
  const { name } = await submit(refuse('name_taken', 'Another one is called Spring.'), { readTaken: messageOf })
  expect(name).toHaveAccessibleDescription('Another one is called Spring.')
})

test('another error with the text of a taken name is not reported at the name', async () => {
  const { name, problem } = await submit(refuse('in_use', errors.name_taken.text))
  expect(name).toBeValid()
  expect(problem).toHaveTextContent(errors.name_taken.text)
})

test('a form can handle a taken name itself', async () => {
  const nameField = vi.fn<() => void>()
  const { name, problem } = await submit(refuse('name_taken', 'Taken.'), { nameField })
  expect(nameField).toHaveBeenCalledOnce()
  expect(name).toBeValid()
  expect(problem).toBeEmptyDOMElement()
})

test('problems are shown at their fields, those of entries at their list, and all others together', async () => {
  const details = [
    { field: 'name', message: 'Too long.' },
    { field: 'emails.0', message: 'Not an address.' },
    { field: 'version', message: 'Missing.' },
    { field: 'owner', message: 'Unknown.' },
  ]
  const refused = vi.fn<() => void>()
  const { name, emails, problem } = await submit(refuse('invalid_input', 'Refused.', details), { refused })
  expect(name).toHaveAccessibleDescription('Too long.')
  expect(emails).toHaveAccessibleDescription('Not an address.')
  expect(problem).toHaveTextContent('version: Missing. owner: Unknown.')
  expect(refused.mock.calls).toEqual([['version: Missing. owner: Unknown.', expect.any(ApiError)]])
})

test('a form can map a problem to a field', async () => {
  const details = [{ field: 'address', message: 'Not an address.' }]
  const findField = (field: string) => (field === 'address' ? 'emails' : null)
  const first = await submit(refuse('invalid_input', 'Refused.', details), { findField })
  expect(first.emails).toHaveAccessibleDescription('Not an address.')
})

test('a form can map an error code to a field', async () => {
  const { name, problem } = await submit(refuse('invalid_filter', 'Unknown field.'), {
    fieldsOfCodes: { invalid_filter: 'name' },
  })
  expect(name).toHaveAccessibleDescription('Unknown field.')
  expect(problem).toBeEmptyDOMElement()
})

test('a form with one field can show all errors there', async () => {
  const { emails, problem } = await submit(refuse('limit_reached', 'There are enough.'), { restField: 'emails' })
  expect(emails).toHaveAccessibleDescription('There are enough.')
  expect(problem).toBeEmptyDOMElement()
})

test('a form shows a given message until it is submitted', () => {
  renderApp(<Form send={() => Promise.resolve('')} options={{ given: 'The code expired.' }} />)
  expect(screen.getByRole('status')).toHaveTextContent('The code expired.')
})

test('a newer version shows no error in the form', async () => {
  const { name, problem } = await submit(refuse('newer_version', 'Saved in the meantime.'))
  expect(name).toBeValid()
  expect(problem).toBeEmptyDOMElement()
})

test('any other failure is shown until the form is submitted again', async () => {
  const send = vi
    .fn<() => Promise<string>>()
    .mockRejectedValueOnce(new Error('The cable is cut.'))
    .mockImplementationOnce(() => new Promise(() => undefined))
  const { press, problem } = await submit(send)
  expect(problem).toHaveTextContent('The cable is cut.')
  await press()
  expect(problem).toBeEmptyDOMElement()
  expect(screen.getByRole('button')).toBeDisabled()
})
