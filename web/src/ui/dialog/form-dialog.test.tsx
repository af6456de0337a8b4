import { Button } from '@mantine/core'
import { screen, waitFor } from '@testing-library/react'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { renderApp } from '#test/render.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { FormDialog } from './form-dialog.tsx'

const untouched = { isDirty: false, isBusy: false }

function Nested() {
  const [opened, setOpened] = useState(0)
  const open = (count: number) => (): void => setOpened(count)
  return (
    <>
      <Button onClick={open(1)}>Open</Button>
      {opened > 0 && (
        <FormDialog title="Outer" width={400} guard={untouched} onClose={open(0)}>
          <Button onClick={open(2)}>Go on</Button>
          {opened > 1 && (
            <FormDialog title="Inner" width={300} guard={untouched} onClose={open(1)}>
              <Button onClick={open(3)}>Ask</Button>
              <ConfirmDialog
                isOpen={opened > 2}
                title="Question"
                question="Are you sure?"
                confirmLabel="Yes"
                onConfirm={open(2)}
                onClose={open(2)}
              />
            </FormDialog>
          )}
        </FormDialog>
      )}
    </>
  )
}

test('Escape closes only the topmost dialog', async () => {
  const { user } = renderApp(<Nested />)
  for (const name of ['Open', 'Go on', 'Ask']) await user.click(await screen.findByRole('button', { name }))
  await screen.findByRole('dialog', { name: 'Question' })
  for (const left of [['Outer', 'Inner'], ['Outer'], []]) {
    await user.keyboard('{Escape}')
    await waitFor(() => {
      const dialogs = screen.queryAllByRole('dialog')
      expect(dialogs.map((dialog) => dialog.querySelector('h2')?.textContent)).toEqual(left)
    })
  }
})
