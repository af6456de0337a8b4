import { expect, test } from 'vitest'
import { render, screen, waitFor } from '@testing-library/react'
import { useFocusBack } from './focus-back.ts'

function Dialog() {
  useFocusBack()
  return <button type="button">In the dialog</button>
}

const page = (shown: 'nothing' | 'dialog' | 'another') => (
  <>
    <button type="button">Opener</button>
    {shown === 'dialog' && <Dialog />}
    {shown === 'another' && <input aria-label="Title" />}
  </>
)

const nextFrame = () => new Promise(requestAnimationFrame)

/** Opens the dialog from the page's button and moves the focus into it. */
function openDialog() {
  const { rerender } = render(page('nothing'))
  screen.getByRole('button', { name: 'Opener' }).focus()
  rerender(page('dialog'))
  screen.getByRole('button', { name: 'In the dialog' }).focus()
  return rerender
}

test('the opener of a dialog gets the focus back when the dialog is removed', async () => {
  const show = openDialog()
  show(page('nothing'))
  await waitFor(() => expect(screen.getByRole('button', { name: 'Opener' })).toHaveFocus())
})

test('a field of the next dialog keeps the focus', async () => {
  const show = openDialog()
  show(page('another'))
  screen.getByRole('textbox', { name: 'Title' }).focus()
  await nextFrame()
  await nextFrame()
  expect(screen.getByRole('textbox', { name: 'Title' })).toHaveFocus()
})
