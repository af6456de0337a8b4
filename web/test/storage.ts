import { vi } from 'vitest'

/** Stands in for the storage that receives the bytes. */
export class Storage {
  static puts: { url: string; file: unknown }[]
  static status: number
  static hangs: boolean

  /** Takes the place of the browser's requests: has received nothing, and accepts every file. */
  static install(): void {
    Storage.puts = []
    Storage.status = 200
    Storage.hangs = false
    vi.stubGlobal('XMLHttpRequest', Storage)
  }

  upload = new EventTarget()
  status = 0
  responseText = ''
  private listeners = new EventTarget()
  private url = ''
  addEventListener(name: string, listener: EventListener): void {
    this.listeners.addEventListener(name, listener)
  }
  open(_method: string, url: string): void {
    this.url = url
  }
  send(file: unknown): void {
    Storage.puts.push({ url: this.url, file })
    if (Storage.hangs) return
    // As in a browser, later than `send`.
    setTimeout(() => {
      this.status = Storage.status
      this.responseText = JSON.stringify({ error: { code: 'link_invalid', message: 'This link has expired.' } })
      this.listeners.dispatchEvent(new Event('load'))
    }, 0)
  }
  abort(): void {
    this.listeners.dispatchEvent(new Event('abort'))
  }
}
