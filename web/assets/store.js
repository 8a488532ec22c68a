// Objects that the browser keeps in a database of its own (IndexedDB), by their `id`.

/** The answer of a request to the database. */
const answerOf = (request) => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = request.onblocked = () => reject(request.error ?? new Error("The database is in use."));
});

/** A store of objects; all functions reject if the browser does not keep them. */
export class Store {
  constructor(database, name) { Object.assign(this, { database, name }); }

  /** Opens the store of this name, the only one of its database. */
  static async open(database, name) {
    const request = indexedDB.open(database, 1);
    request.onupgradeneeded = () => request.result.createObjectStore(name, { keyPath: "id" });
    return new Store(await answerOf(request), name);
  }

  /** All objects. */
  all() { return answerOf(this.database.transaction(this.name).objectStore(this.name).getAll()); }

  /** Changes the objects: `act` gets the store. */
  write(act) {
    const transaction = this.database.transaction(this.name, "readwrite");
    act(transaction.objectStore(this.name));
    return new Promise((resolve, reject) => {
      transaction.oncomplete = resolve;
      transaction.onabort = transaction.onerror = () => reject(transaction.error);
    });
  }
}
