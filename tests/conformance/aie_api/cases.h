// A program of many named cases: the command line says which one runs.
#pragma once

#include "support.h"

/// Registers itself under a name.
struct Case {
  Case(const char* case_name, void (*case_run)()) : name(case_name), run(case_run), next(first()) { first() = this; }
  static const Case*& first() {
    static const Case* head = nullptr;
    return head;
  }
  const char* name;
  void (*run)();
  const Case* next;
};

inline int run_case(int count, char** values) {
  for (const Case* one = Case::first(); one != nullptr && count > 1; one = one->next) {
    if (std::strcmp(one->name, values[1]) == 0) {
      one->run();
      return 0;
    }
  }
  std::fputs("test program: no such case\n", stderr);
  return 3;
}
