import { Button } from '@mantine/core'
import IconCopy from '#icons/IconCopy'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'

/** Copies a text; if the browser does not allow it, says how to copy it otherwise. */
export function CopyButton({ text, label }: { text: string; label: string }) {
  async function copy(): Promise<void> {
    try {
      // Missing on plain http, contrary to its type.
      const clipboard = navigator.clipboard as Clipboard | undefined
      if (!clipboard) throw new Error('no clipboard')
      await clipboard.writeText(text)
      notifyDone('Copied to the clipboard.')
    } catch {
      notifyError('The browser blocked copying. Select the text and copy it yourself.')
    }
  }
  return (
    <Button
      variant="default"
      style={{ flex: 'none' }}
      aria-label={label}
      leftSection={<IconCopy size={15} aria-hidden />}
      onClick={() => void copy()}
    >
      Copy
    </Button>
  )
}
