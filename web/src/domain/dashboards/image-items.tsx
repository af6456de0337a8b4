import { Menu } from '@mantine/core'
import IconCopy from '#icons/IconCopy'
import IconFileTypePng from '#icons/IconFileTypePng'
import IconFileTypeSvg from '#icons/IconFileTypeSvg'
import type { ChartHandle } from '#ui/chart/chart.tsx'
import { copyImage, saveImage } from '#ui/chart/chart-image.ts'
import { notifyDone, notifyError } from '#ui/feedback/notify.ts'

/** Menu entries that save a chart as an image, or copy it. `name`: the file's, without its extension. */
export function ImageItems({ drawn, name }: { drawn: ChartHandle; name: string }) {
  const save = async (type: 'png' | 'svg'): Promise<void> => {
    try {
      await saveImage(await drawn.toSvg(), name, type)
    } catch {
      notifyError('The image could not be drawn.')
    }
  }
  const copy = async (): Promise<void> => {
    try {
      await copyImage(drawn.toSvg())
      notifyDone('Image copied.')
    } catch {
      notifyError('The browser does not allow to copy images.')
    }
  }
  return (
    <>
      <Menu.Item leftSection={<IconFileTypePng size={15} aria-hidden />} onClick={() => void save('png')}>
        Save as PNG
      </Menu.Item>
      <Menu.Item leftSection={<IconFileTypeSvg size={15} aria-hidden />} onClick={() => void save('svg')}>
        Save as SVG
      </Menu.Item>
      <Menu.Item leftSection={<IconCopy size={15} aria-hidden />} onClick={() => void copy()}>
        Copy image
      </Menu.Item>
    </>
  )
}
