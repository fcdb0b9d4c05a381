// For tests/test_scripts.py. What a script of a page finds by an id or a selector, or as the target of an event, is the
// element that the template has there, with the members of its kind. All else is checked.
interface ParentNode {
  querySelector(selectors: string): any;
  querySelectorAll(selectors: string): NodeListOf<any>;
}
interface Document {
  getElementById(id: string): any;
}
interface Element {
  dataset: DOMStringMap;
  blur(): void;
  focus(options?: FocusOptions): void;
}
interface EventTarget {
  id: any;
  value: any;
  dataset: any;
  closest(selectors: string): any;
}
interface URLSearchParams {
  readonly size: number;
}
