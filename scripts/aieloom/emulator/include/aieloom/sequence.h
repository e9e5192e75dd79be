// Containers that compile quickly: every program of the emulator is built with the runtime's own sources.
#pragma once

#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

namespace aieloom {

/// Where `value` is in a list, or how many elements there are. (std::ranges does it too, and takes the compiler longer.)
template <typename List, typename V>
[[nodiscard]] std::size_t index_of(const List& list, const V& value) {
  std::size_t at = 0;
  for (auto i = list.begin(); i != list.end() && !(*i == value); ++i) {
    ++at;
  }
  return at;
}

template <typename List, typename V>
[[nodiscard]] bool holds(const List& list, const V& value) {
  for (const auto& element : list) {
    if (element == value) {
      return true;
    }
  }
  return false;
}

template <typename List, typename Predicate>
[[nodiscard]] std::size_t count_of(const List& list, Predicate is) {
  std::size_t count = 0;
  for (const auto& element : list) {
    count += is(element) ? 1 : 0;
  }
  return count;
}

/// A list whose elements never move. It keeps them until the program ends, as a design does.
template <typename T>
class Sequence {
  struct Node {
    template <typename... A>
    explicit Node(A&&... arguments) : value(std::forward<A>(arguments)...) {}
    T value;
    Node* next = nullptr;
  };

 public:
  template <typename V>
  class Iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using reference = V&;
    using pointer = V*;
    using iterator_category = std::forward_iterator_tag;
    Iterator() = default;
    explicit Iterator(Node* node) : node_(node) {}
    V& operator*() const { return node_->value; }
    V* operator->() const { return &node_->value; }
    Iterator& operator++() {
      node_ = node_->next;
      return *this;
    }
    Iterator operator++(int) {
      Iterator old = *this;
      ++*this;
      return old;
    }
    bool operator==(const Iterator& other) const = default;

   private:
    Node* node_ = nullptr;
  };

  Sequence() = default;
  Sequence(const Sequence&) = delete;
  Sequence& operator=(const Sequence&) = delete;

  template <typename... A>
  T& emplace_back(A&&... arguments) {
    Node* made = new Node(std::forward<A>(arguments)...);
    (last_ != nullptr ? last_->next : first_) = made;
    last_ = made;
    ++size_;
    return made->value;
  }
  void push_back(T value) { emplace_back() = std::move(value); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  T& operator[](std::size_t i) {
    Node* at = first_;
    for (; i > 0; --i) {
      at = at->next;
    }
    return at->value;
  }
  T& front() { return first_->value; }
  T& back() { return last_->value; }
  Iterator<T> begin() { return Iterator<T>(first_); }
  Iterator<T> end() { return Iterator<T>(); }
  Iterator<const T> begin() const { return Iterator<const T>(first_); }
  Iterator<const T> end() const { return Iterator<const T>(); }

 private:
  Node* first_ = nullptr;
  Node* last_ = nullptr;
  std::size_t size_ = 0;
};

/// A map for a few hundred keys, searched from one end to the other; iterates in the order of insertion. Values never move.
template <typename K, typename V>
class FlatMap {
 public:
  struct Entry {
    K first;
    V second;
  };
  struct Node {
    Entry entry;
    Node* next = nullptr;
  };
  template <typename E>
  struct Iterator {
    Node* at;
    E& operator*() const { return at->entry; }
    Iterator& operator++() {
      at = at->next;
      return *this;
    }
    bool operator!=(const Iterator& other) const { return at != other.at; }
  };

  FlatMap() = default;
  FlatMap(FlatMap&& other) noexcept : first_(std::exchange(other.first_, nullptr)), last_(std::exchange(other.last_, nullptr)) {}
  FlatMap& operator=(FlatMap&& other) noexcept {
    std::swap(first_, other.first_);
    std::swap(last_, other.last_);
    return *this;
  }
  ~FlatMap() {
    while (first_ != nullptr) {
      delete std::exchange(first_, first_->next);
    }
  }

  [[nodiscard]] V* find(const K& key) {
    for (Node* node = first_; node != nullptr; node = node->next) {
      if (node->entry.first == key) {
        return &node->entry.second;
      }
    }
    return nullptr;
  }
  [[nodiscard]] const V* find(const K& key) const { return const_cast<FlatMap*>(this)->find(key); }
  [[nodiscard]] bool contains(const K& key) const { return find(key) != nullptr; }
  V& operator[](const K& key) {
    if (V* found = find(key)) {
      return *found;
    }
    Node* made = new Node{{key, V{}}};
    (last_ != nullptr ? last_->next : first_) = made;
    last_ = made;
    return made->entry.second;
  }
  auto begin() { return Iterator<Entry>{first_}; }
  auto end() { return Iterator<Entry>{nullptr}; }
  auto begin() const { return Iterator<const Entry>{first_}; }
  auto end() const { return Iterator<const Entry>{nullptr}; }

 private:
  Node* first_ = nullptr;
  Node* last_ = nullptr;
};

}  // namespace aieloom
