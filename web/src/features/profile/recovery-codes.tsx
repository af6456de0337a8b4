import { Button, Checkbox, Group, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import IconDownload from '#icons/IconDownload'
import IconPrinter from '#icons/IconPrinter'
import { useDeployment } from '#lib/deployment.ts'
import { DialogForm } from '#ui/dialog/form-dialog.tsx'
import { CopyButton } from './copy-button.tsx'
import css from './recovery-codes.module.css'

type RecoveryCodesProps = {
  /** The owner's email. */
  email: string
  codes: string[]
  onKept: () => void
}

/** Codes that are shown once; the user confirms that they are stored before continuing. */
export function RecoveryCodes({ email, codes, onKept }: RecoveryCodesProps) {
  const { product } = useDeployment()
  const [isKept, setKept] = useState(false)
  const title = `Recovery codes of ${email} for ${product}`
  const text = `${title}\nEach works once.\n\n${codes.join('\n')}\n`
  return (
    <DialogForm
      onSubmit={() => isKept && onKept()}
      footer={
        <Group justify="space-between" gap="xs">
          <Checkbox
            label="I have saved them"
            checked={isKept}
            onChange={(event) => setKept(event.currentTarget.checked)}
          />
          <Button type="submit" disabled={!isKept}>
            Done
          </Button>
        </Group>
      }
    >
      <Stack gap="sm">
        <Text size="sm">
          Each code signs you in once without the app. They are shown only now: keep them where you keep what must not
          be lost.
        </Text>
        <ul className={css['codes']} aria-label="Recovery codes">
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </ul>
        <Group gap="xs">
          <CopyButton text={text} label="Copy the codes" />
          <Button
            variant="default"
            leftSection={<IconDownload size={15} aria-hidden />}
            onClick={() => download('recovery-codes.txt', text)}
          >
            Download
          </Button>
          <Button
            variant="default"
            leftSection={<IconPrinter size={15} aria-hidden />}
            onClick={() => print(title, codes)}
          >
            Print
          </Button>
        </Group>
      </Stack>
    </DialogForm>
  )
}

function download(name: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/plain' }))
  const link = document.createElement('a')
  link.href = url
  link.download = name
  link.click()
  URL.revokeObjectURL(url)
}

/** Prints only the codes, not the page around them. */
function print(title: string, codes: string[]): void {
  const frame = document.createElement('iframe')
  frame.title = title
  frame.style.cssText = 'position: fixed; width: 0; height: 0; border: 0'
  document.body.append(frame)
  const { contentDocument: page, contentWindow: view } = frame
  if (!page || !view) return
  const heading = page.createElement('h1')
  const list = page.createElement('pre')
  heading.textContent = title
  list.textContent = codes.join('\n')
  list.style.fontSize = '16pt'
  page.title = title
  page.body.append(heading, list)
  view.addEventListener('afterprint', () => frame.remove())
  view.focus()
  view.print()
}
